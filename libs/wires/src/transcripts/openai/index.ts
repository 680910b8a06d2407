import { unsupportedFailure } from "../../text/hub/request.ts";
import { missingFailure, invalidFailure, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { Failure, withoutUndefined, type TranscriptsWire, type Units } from "@modelgate/contracts";
import { formEntry, granularities, transcriptFormats, segmentOf, renderTranscriptJson } from "../hub/index.ts";
import type {
  TranscriptsClient,
  TranscriptsVendor,
  FormEntry,
  Granularity,
  TranscriptFormat,
  TranscriptsRequest,
  Transcript,
  TranscriptEvent,
} from "../hub/index.ts";
import type { Target, Wire } from "../../wire.ts";
import { modelMembers, parseEvent, readVendor, renderEvent } from "../../kind/index.ts";
import type { Frame } from "@modelgate/formats/sse";

const vendor = {
  render: renderForm,
  parse: parseAnswer,
  usage: readUsage,
  stream: () => ({ read: readEvent }),
} as const;

/** POST /v1/audio/transcriptions. */
export const transcriptions = {
  name: "transcriptions",
  vendor,
  client: {
    read: (entries) => parseForm("transcriptions", entries),
    render: renderTranscriptJson,
    renderStream: renderTranscriptStream,
  },
} as const satisfies Wire<TranscriptsVendor, TranscriptsClient>;

/** POST /v1/audio/translations. */
export const translations = {
  name: "translations",
  vendor,
  client: { ...transcriptions.client, read: (entries) => parseForm("translations", entries) },
} as const satisfies Wire<TranscriptsVendor, TranscriptsClient>;

const knownFields = [
  "model",
  "language",
  "prompt",
  "response_format",
  "temperature",
  "timestamp_granularities",
  "stream",
];
const singleFields: ReadonlySet<string> = new Set(knownFields.filter((name) => name !== "timestamp_granularities"));

function parseForm(wire: TranscriptsWire, entries: readonly FormEntry[]): TranscriptsRequest {
  const fields = valuesByName(entries);
  const first = (name: string): string | undefined => fields.get(name)?.[0];
  const model = first("model") ?? "";
  if (model === "") throw missingFailure("model");
  const format = formatOf(wire, first("response_format"));
  const stream = streamOf(wire, first("stream"), format);
  return {
    wire,
    model,
    format,
    granularities: granularitiesOf(fields.get("timestamp_granularities") ?? [], format),
    stream,
    additional: entries.filter(([name]) => !knownFields.includes(withoutBrackets(name))),
    ...withoutUndefined({
      language: first("language"),
      prompt: first("prompt"),
      temperature: temperatureOf(first("temperature")),
    }),
  };
}

/** Returns the model of a form; undefined if its field has not arrived yet. */
export function modelInForm(entries: readonly FormEntry[]): string | undefined {
  return entries.find(([name]) => name === "model")?.[1];
}

function valuesByName(entries: readonly FormEntry[]): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  for (const [name, value] of entries) {
    const values = fields.get(withoutBrackets(name));
    if (values === undefined) fields.set(withoutBrackets(name), [value]);
    else if (singleFields.has(withoutBrackets(name))) throw invalidField(name, "given once");
    else values.push(value);
  }
  return fields;
}

/** Returns the name of a list without brackets, as in `timestamp_granularities[]` or `timestamp_granularities[0]`. */
function withoutBrackets(name: string): string {
  return name.replace(/\[\d*\]$/, "");
}

function formatOf(wire: TranscriptsWire, value = "json"): TranscriptFormat {
  const allowed = transcriptFormats.filter((each) => wire === "transcriptions" || each !== "diarized_json");
  const format = allowed.find((each) => each === value);
  if (format === undefined) throw invalidField("response_format", `one of ${allowed.join(", ")}`);
  return format;
}

function streamOf(wire: TranscriptsWire, value: string | undefined, format: TranscriptFormat): boolean {
  const text = value?.toLowerCase() ?? "false";
  if (text !== "true" && text !== "false") throw invalidField("stream", "true or false");
  if (text === "false") return false;
  if (wire === "translations") throw invalidField("stream", "false: a translation is not streamed");
  if (format !== "json" && format !== "text" && format !== "diarized_json")
    throw invalidField("response_format", "json or text if the transcript is streamed");
  return true;
}

function granularitiesOf(values: readonly string[], format: TranscriptFormat): readonly Granularity[] {
  const names = values.flatMap((value) => value.split(",")).map((name) => name.trim());
  const requested = granularities.filter((each) => names.includes(each));
  if (names.some((word) => !requested.some((each) => each === word)))
    throw invalidField("timestamp_granularities", `any of ${granularities.join(", ")}`);
  if (requested.length > 0 && format !== "verbose_json")
    throw invalidFailure("timestamp_granularities", "timestamp_granularities needs response_format verbose_json.");
  return requested;
}

function temperatureOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const temperature = value.trim() === "" ? Number.NaN : Number(value);
  if (!(temperature >= 0 && temperature <= 1)) throw invalidField("temperature", "a number from 0 to 1");
  return temperature;
}

function invalidField(name: string, kind: string): Failure {
  return new Failure("invalid_value", `${name} must be ${kind}.`, { param: withoutBrackets(name) });
}

/** Matches models without times. They answer only in plain JSON. */
const modelsWithoutTimes = /transcribe/i;

/** Format that is requested from the vendor. The gateway makes subtitles from the segments of verbose_json. */
const vendorFormats: Readonly<Record<TranscriptFormat, "json" | "verbose_json" | "diarized_json">> = {
  json: "json",
  text: "json",
  srt: "verbose_json",
  vtt: "verbose_json",
  verbose_json: "verbose_json",
  diarized_json: "diarized_json",
};

function renderForm(request: TranscriptsRequest, { model }: Target) {
  const format = vendorFormats[request.format];
  if (format === "verbose_json" && modelsWithoutTimes.test(model))
    throw unsupportedFailure(
      "response_format",
      `The vendor of this model reports no timestamps: response_format can be json or text, not ${request.format}.`,
    );
  const entries: readonly FormEntry[] = [
    ...formEntry("language", request.language),
    ...formEntry("prompt", request.prompt),
    ["response_format", format],
    ...formEntry("temperature", request.temperature),
    ...request.granularities.map((each): FormEntry => ["timestamp_granularities[]", each]),
    ...(request.stream ? formEntry("stream", "true") : []),
    ...request.additional.filter((entry) => !namesModels(entry)),
  ];
  const dropped = request.additional.filter(namesModels).map(([name]) => name);
  return { kind: "form", model: ["model", model], entries, dropped } as const;
}

/** Returns true for a field by which a client names further models of the vendor. */
function namesModels([name]: FormEntry): boolean {
  return modelMembers.includes(name.replace(/\[.*$/, ""));
}

/** Maximum number of segments of an answer: about a day of one-second segments. */
const maxSegments = 100_000;

export function parseAnswer(body: JsonRecord): Transcript {
  return readVendor(body, (fields) => ({
    text: fields.needText("text"),
    segments: fields.has("segments")
      ? fields.each("segments", maxSegments).map((segment) => segmentOf(segment, segment.needText("text")))
      : undefined,
  }));
}

/** Reads tokens or a duration. */
export function readUsage({ usage, duration }: JsonRecord): Units | undefined {
  if (isRecord(usage)) {
    const { seconds, input_tokens: input, output_tokens: output, input_token_details: details } = usage;
    if (isAmount(seconds)) return { seconds };
    if (isAmount(input) || isAmount(output)) return tokenUnits(amountOrZero(input), amountOrZero(output), details);
  }
  return isAmount(duration) ? { seconds: duration } : undefined;
}

function tokenUnits(input: number, output: number, details: unknown): Units {
  const text = isRecord(details) ? amountOrZero(details["text_tokens"]) : 0;
  // Input that is not reported as text is billed as audio.
  return { inputTokens: Math.min(text, input), inputAudioTokens: Math.max(0, input - text), outputTokens: output };
}

function amountOrZero(value: unknown): number {
  return isAmount(value) ? Math.round(value) : 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Number.MAX_SAFE_INTEGER;
}

function readEvent({ data }: Frame): TranscriptEvent {
  if (data === "[DONE]") return { kind: "other" };
  const event = parseEvent(data);
  if (isRecord(event["error"])) return { kind: "error" };
  if (event["type"] === "transcript.text.delta")
    return { kind: "delta", text: typeof event["delta"] === "string" ? event["delta"] : "" };
  return event["type"] === "transcript.text.done" ? { kind: "done", body: event } : { kind: "other" };
}

function renderTranscriptStream(body: JsonRecord): string {
  const { text, usage, logprobs } = body;
  const shared = logprobs === undefined ? {} : { logprobs };
  const done = withoutUndefined({ type: "transcript.text.done", text, ...shared, usage });
  return renderEvent({ type: "transcript.text.delta", delta: text, ...shared }) + renderEvent(done);
}
