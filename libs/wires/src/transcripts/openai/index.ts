import { unsupportedFailure } from "../../text/hub/request.ts";
import { missingFailure, invalidFailure, type JsonRecord } from "@modelgate/formats/json";
import { Failure, withoutUndefined, type TranscriptsWire } from "@modelgate/contracts";
import { formEntry, granularities, transcriptFormats, renderTranscriptJson } from "../hub/index.ts";
import type {
  TranscriptsClient,
  TranscriptsVendor,
  FormEntry,
  Granularity,
  TranscriptFormat,
  TranscriptsRequest,
} from "../hub/index.ts";
import type { Target, Wire } from "../../wire.ts";
import { modelMembers, renderEvent } from "../../kind/index.ts";
import { openStream, parseAnswer, readUsage } from "./answer.ts";

const vendor = {
  render: renderForm,
  needsCompleteForm: (model: string) => mistralModels.test(model),
  parse: parseAnswer,
  usage: readUsage,
  stream: openStream,
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

/** Matches Mistral's models. They report times only if a granularity is requested, and then accept no language. */
const mistralModels = /^voxtral/i;

/** Matches models without times. They answer only in plain JSON. */
const modelsWithoutTimes = /^(?!voxtral).*transcribe/i;

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
  const timesOfMistral = format === "verbose_json" && mistralModels.test(model);
  const language = timesOfMistral ? undefined : request.language;
  const granularities: readonly Granularity[] =
    timesOfMistral && request.granularities.length === 0 ? ["segment"] : request.granularities;
  const entries: readonly FormEntry[] = [
    ...formEntry("language", language),
    ...formEntry("prompt", request.prompt),
    ["response_format", format],
    ...formEntry("temperature", request.temperature),
    ...granularities.map((each): FormEntry => [`timestamp_granularities${timesOfMistral ? "" : "[]"}`, each]),
    ...(request.stream ? formEntry("stream", "true") : []),
    ...request.additional.filter((entry) => !namesModels(entry)),
  ];
  const dropped = request.additional.filter(namesModels).map(([name]) => name);
  if (language !== request.language) dropped.push("language");
  return { kind: "form", model: ["model", model], entries, dropped } as const;
}

/** Returns true for a field by which a client names further models of the vendor. */
function namesModels([name]: FormEntry): boolean {
  return modelMembers.includes(name.replace(/\[.*$/, ""));
}

function renderTranscriptStream(body: JsonRecord): string {
  const { text, usage, logprobs } = body;
  const shared = logprobs === undefined ? {} : { logprobs };
  const done = withoutUndefined({ type: "transcript.text.done", text, ...shared, usage });
  return renderEvent({ type: "transcript.text.delta", delta: text, ...shared }) + renderEvent(done);
}
