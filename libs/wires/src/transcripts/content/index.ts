import { Failure, withoutUndefined } from "@modelgate/contracts";
import { isRecord, asRecords, type JsonRecord } from "@modelgate/formats/json";
import { requireCompleteAnswer } from "../../text/content/blocked.ts";
import { contentUsage } from "../../text/content/usage.ts";
import type {
  RenderedTranscripts,
  Transcript,
  TranscriptsClient,
  TranscriptsVendor,
  TranscriptsRequest,
} from "../hub/index.ts";
import { unsupportedFieldNames, refuseFormats } from "../hub/index.ts";
import type { Wire } from "../../wire.ts";

/** Maximum bytes of a file that is sent in JSON. */
const maxBytes = 14_000_000;

const task =
  "Write down what is said in this recording, word by word, in the language that it is said in. Answer with these words alone.";

/** Transcripts by Gemini. They have no times. */
export const content = {
  name: "content-transcripts",
  vendor: { render: renderRequest, parse: parseAnswer, usage: ({ usageMetadata }) => contentUsage(usageMetadata) },
} as const satisfies Wire<TranscriptsVendor, TranscriptsClient>;

function renderRequest(request: TranscriptsRequest): RenderedTranscripts {
  refuseFormats(request, ["srt", "vtt", "verbose_json", "diarized_json"]);
  const { language, prompt, temperature } = request;
  const text = [
    task,
    ...(language === undefined ? [] : [`The language is ${language}.`]),
    ...(prompt === undefined ? [] : [`It may be about: ${prompt}`]),
  ].join("\n");
  return {
    kind: "json",
    maxBytes,
    bodyOf: ({ mediaType, data }) =>
      withoutUndefined({
        contents: [{ role: "user", parts: [{ inlineData: { mimeType: mediaType, data } }, { text }] }],
        generationConfig: temperature === undefined ? undefined : { temperature },
      }),
    dropped: unsupportedFieldNames(request, ["language", "prompt", "temperature"]),
  };
}

function parseAnswer(body: JsonRecord): Transcript {
  requireCompleteAnswer(body, "The vendor declined to write down this recording.");
  const content = asRecords(body["candidates"])[0]?.["content"];
  if (!isRecord(content)) throw new Failure("upstream_error", "The vendor's answer contains no transcript.");
  const parts = asRecords(content["parts"]).filter(({ text, thought }) => typeof text === "string" && thought !== true);
  const text = parts.map((part) => part["text"]).join("");
  return { text: text.trim(), segments: undefined };
}
