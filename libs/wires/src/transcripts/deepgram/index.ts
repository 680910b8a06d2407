import { present, type Units } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/index.ts";
import {
  segmentsOfWords,
  type RenderedTranscripts,
  type Segment,
  type Transcript,
  type TranscriptsClient,
  type TranscriptsVendor,
} from "../hub/answer.ts";
import { lostHints, refuseFormats, type TranscriptsRequest } from "../hub/request.ts";
import type { Target, Wire } from "../../wire.ts";

/** Maximum of words of an answer: a day of speech. */
const maxWords = 500_000;

/** Deepgram's speech to text: the body is the file. It says how many seconds it heard. */
export const deepgram = {
  name: "deepgram-transcripts",
  vendor: { render: renderRequest, parse: parseAnswer, usage: readUsage },
} as const satisfies Wire<TranscriptsVendor, TranscriptsClient>;

function renderRequest(request: TranscriptsRequest, { model }: Target): RenderedTranscripts {
  refuseFormats(request, ["diarized_json"]);
  const { language } = request;
  const spoken = language === undefined ? { detect_language: "true" } : { language };
  return {
    kind: "bytes",
    query: { model, smart_format: "true", ...spoken },
    dropped: lostHints(request, ["language"]),
  };
}

function parseAnswer(body: JsonRecord): Transcript {
  return readVendor(body, (fields) => {
    const [channel] = fields.fields("results")?.each("channels", maxWords) ?? [];
    const [best] = channel?.each("alternatives", maxWords) ?? [];
    if (best === undefined) throw fields.wrong("results", "a transcript");
    const words = best.each("words", maxWords).map(wordOf);
    return present({
      text: best.text("transcript") ?? "",
      segments: segmentsOfWords(words),
      words,
      language: channel?.text("detected_language"),
      duration: readUsage(body)?.seconds,
    });
  });
}

function wordOf(word: Fields): Segment {
  const text = word.text("punctuated_word") ?? word.needText("word");
  return { text, start: word.number("start") ?? 0, end: word.number("end") ?? 0 };
}

function readUsage({ metadata }: JsonRecord): Units | undefined {
  const seconds = isRecord(metadata) ? metadata["duration"] : undefined;
  return typeof seconds === "number" && seconds >= 0 ? { seconds } : undefined;
}
