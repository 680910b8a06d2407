import { withoutUndefined, type Units } from "@modelgate/contracts";
import { memberOf, type JsonRecord } from "@modelgate/formats/json";
import { readVendor } from "../../kind/index.ts";
import type {
  RenderedTranscripts,
  Transcript,
  TranscriptsClient,
  TranscriptsVendor,
  TranscriptsRequest,
} from "../hub/index.ts";
import { maxWords, segmentOf, segmentsOfWords, unsupportedFieldNames, refuseFormats } from "../hub/index.ts";
import type { Target, Wire } from "../../wire.ts";

/** Deepgram's speech to text. */
export const deepgram = {
  name: "deepgram-transcripts",
  vendor: { render: renderRequest, parse: parseAnswer, usage: readUsage },
} as const satisfies Wire<TranscriptsVendor, TranscriptsClient>;

function renderRequest(request: TranscriptsRequest, { model }: Target): RenderedTranscripts {
  refuseFormats(request, ["diarized_json"]);
  const { language } = request;
  const languageQuery = language === undefined ? { detect_language: "true" } : { language };
  return {
    kind: "bytes",
    query: { model, smart_format: "true", ...languageQuery },
    dropped: unsupportedFieldNames(request, ["language"]),
  };
}

function parseAnswer(body: JsonRecord): Transcript {
  return readVendor(body, (fields) => {
    const [channel] = fields.fields("results")?.each("channels", maxWords) ?? [];
    const [best] = channel?.each("alternatives", maxWords) ?? [];
    if (best === undefined) throw fields.wrong("results", "a transcript");
    const words = best
      .each("words", maxWords)
      .map((word) => segmentOf(word, word.text("punctuated_word") ?? word.needText("word")));
    return withoutUndefined({
      text: best.text("transcript") ?? "",
      segments: segmentsOfWords(words),
      words,
      language: channel?.text("detected_language"),
      duration: readUsage(body)?.seconds,
    });
  });
}

function readUsage({ metadata }: JsonRecord): Units | undefined {
  const seconds = memberOf(metadata, "duration");
  return typeof seconds === "number" && seconds >= 0 ? { seconds } : undefined;
}
