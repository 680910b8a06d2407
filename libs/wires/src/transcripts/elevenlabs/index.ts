import type { JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/index.ts";
import {
  segmentsOfWords,
  type RenderedTranscripts,
  type Segment,
  type Transcript,
  type TranscriptsClient,
  type TranscriptsVendor,
} from "../hub/answer.ts";
import { lostHints, refuseFormats, type FormEntry, type TranscriptsRequest } from "../hub/request.ts";
import type { Target, Wire } from "../../wire.ts";

/** Maximum of words of an answer: a day of speech. */
const maxWords = 500_000;

/** ElevenLabs' speech to text, a form. It reports no usage: the file's own seconds are paid. */
export const elevenlabs = {
  name: "elevenlabs-transcripts",
  vendor: { render: renderRequest, parse: parseAnswer, usage: () => undefined },
} as const satisfies Wire<TranscriptsVendor, TranscriptsClient>;

function renderRequest(request: TranscriptsRequest, { model }: Target): RenderedTranscripts {
  refuseFormats(request, ["diarized_json"]);
  const { language, temperature } = request;
  const entries: FormEntry[] = [
    ["timestamps_granularity", "word"],
    ["tag_audio_events", "false"],
    ...(language === undefined ? [] : [["language_code", language] as const]),
    ...(temperature === undefined ? [] : [["temperature", String(temperature)] as const]),
  ];
  return {
    kind: "form",
    model: ["model_id", model],
    entries,
    dropped: lostHints(request, ["language", "temperature"]),
  };
}

function parseAnswer(body: JsonRecord): Transcript {
  return readVendor(body, (fields) => {
    // What stands between words has entries of its own.
    const words: Segment[] = fields
      .each("words", maxWords)
      .filter((word) => (word.text("type") ?? "word") === "word")
      .map((word) => ({ text: word.needText("text"), start: word.number("start") ?? 0, end: word.number("end") ?? 0 }));
    return {
      text: fields.text("text") ?? "",
      segments: segmentsOfWords(words),
      words,
      language: fields.text("language_code"),
    };
  });
}
