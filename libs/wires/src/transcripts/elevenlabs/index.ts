import type { JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/index.ts";
import type { Segment, Transcript } from "../hub/answer.ts";
import { lostHints, refuseFormats } from "../hub/lost.ts";
import type { FormEntry, TranscriptsRequest } from "../hub/request.ts";
import { segmentsOfWords } from "../hub/segments-of-words.ts";
import type { RenderedTranscripts, VendorTranscriptsCodec } from "../hub/vendor-codec.ts";

/** Most words that an answer may have: a day of speech. */
const mostWords = 500_000;

/** ElevenLabs' speech to text, a form. It reports no usage: the file's own seconds are paid. */
export const elevenlabsTranscripts: VendorTranscriptsCodec = {
  wire: "elevenlabs-transcripts",
  renderRequest,
  parseAnswer,
  readUsage: () => undefined,
};

function renderRequest(request: TranscriptsRequest, { model }: { readonly model: string }): RenderedTranscripts {
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
      .each("words", mostWords)
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
