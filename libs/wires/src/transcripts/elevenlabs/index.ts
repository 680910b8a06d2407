import type { JsonRecord } from "@modelgate/formats/json";
import { readVendor } from "../../kind/index.ts";
import type {
  RenderedTranscripts,
  Transcript,
  TranscriptsClient,
  TranscriptsVendor,
  FormEntry,
  TranscriptsRequest,
} from "../hub/index.ts";
import { maxWords, segmentOf, segmentsOfWords, formEntry, unsupportedFieldNames, refuseFormats } from "../hub/index.ts";
import type { Target, Wire } from "../../wire.ts";

/** ElevenLabs' speech to text. It reports no usage, so the file's duration is billed. */
export const elevenlabs = {
  name: "elevenlabs-transcripts",
  vendor: { render: renderRequest, parse: parseAnswer },
} as const satisfies Wire<TranscriptsVendor, TranscriptsClient>;

function renderRequest(request: TranscriptsRequest, { model }: Target): RenderedTranscripts {
  refuseFormats(request, ["diarized_json"]);
  const { language, temperature } = request;
  const entries: FormEntry[] = [
    ["timestamps_granularity", "word"],
    ["tag_audio_events", "false"],
    ...formEntry("language_code", language),
    ...formEntry("temperature", temperature),
  ];
  return {
    kind: "form",
    model: ["model_id", model],
    entries,
    dropped: unsupportedFieldNames(request, ["language", "temperature"]),
  };
}

function parseAnswer(body: JsonRecord): Transcript {
  return readVendor(body, (fields) => {
    // Spaces and sounds are separate entries of the list.
    const words = fields
      .each("words", maxWords)
      .filter((word) => (word.text("type") ?? "word") === "word")
      .map((word) => segmentOf(word, word.needText("text")));
    return {
      text: fields.text("text") ?? "",
      segments: segmentsOfWords(words),
      words,
      language: fields.text("language_code"),
    };
  });
}
