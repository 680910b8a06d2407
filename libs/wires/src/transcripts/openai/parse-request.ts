import { Failure, type TranscriptsWire, present } from "@modelgate/contracts";
import {
  granularities,
  transcriptFormats,
  type FormEntry,
  type Granularity,
  type TranscriptFormat,
  type TranscriptsRequest,
} from "../hub/request.ts";

/** Fields that are read here; a list's name may end in brackets. */
const read = ["model", "language", "prompt", "response_format", "temperature", "timestamp_granularities", "stream"];
/** Fields that stand once. */
const single: ReadonlySet<string> = new Set(read.filter((name) => name !== "timestamp_granularities"));

/** The fields of interface section 2.7, and those that the SDKs send beside them; all others travel on as they are. */
export function parseForm(wire: TranscriptsWire, entries: readonly FormEntry[]): TranscriptsRequest {
  const fields = collect(entries);
  const one = (name: string): string | undefined => fields.get(name)?.[0];
  const model = one("model") ?? "";
  if (model === "")
    throw new Failure("missing_required_parameter", "Missing required parameter: model.", { param: "model" });
  const format = formatOf(wire, one("response_format"));
  const stream = streamOf(wire, one("stream"), format);
  return {
    wire,
    model,
    format,
    granularities: granularitiesOf(fields.get("timestamp_granularities") ?? [], format),
    stream,
    own: entries.filter(([name]) => !read.includes(plain(name))),
    ...present({ language: one("language"), prompt: one("prompt"), temperature: temperatureOf(one("temperature")) }),
  };
}

/** The model that a form names so far; undefined where it has named none. */
export function modelInForm(entries: readonly FormEntry[]): string | undefined {
  return entries.find(([name]) => name === "model")?.[1];
}

function collect(entries: readonly FormEntry[]): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  for (const [name, value] of entries) {
    const known = fields.get(plain(name));
    if (known === undefined) fields.set(plain(name), [value]);
    else if (single.has(plain(name))) throw wrong(name, "given once");
    else known.push(value);
  }
  return fields;
}

/** `timestamp_granularities[]` and `timestamp_granularities[0]` are the list's own name. */
function plain(name: string): string {
  return name.replace(/\[\d*\]$/, "");
}

function formatOf(wire: TranscriptsWire, value = "json"): TranscriptFormat {
  const allowed = transcriptFormats.filter((each) => wire === "transcriptions" || each !== "diarized_json");
  const format = allowed.find((each) => each === value);
  if (format === undefined) throw wrong("response_format", `one of ${allowed.join(", ")}`);
  return format;
}

function streamOf(wire: TranscriptsWire, value: string | undefined, format: TranscriptFormat): boolean {
  const word = value?.toLowerCase() ?? "false";
  if (word !== "true" && word !== "false") throw wrong("stream", "true or false");
  if (word === "false") return false;
  if (wire === "translations") throw wrong("stream", "false: a translation is not streamed");
  if (format !== "json" && format !== "text" && format !== "diarized_json")
    throw wrong("response_format", "json or text where the transcript is streamed");
  return true;
}

function granularitiesOf(values: readonly string[], format: TranscriptFormat): readonly Granularity[] {
  const words = values.flatMap((value) => value.split(",")).map((word) => word.trim());
  const found = granularities.filter((each) => words.includes(each));
  if (words.some((word) => !found.some((each) => each === word)))
    throw wrong("timestamp_granularities", `any of ${granularities.join(", ")}`);
  if (found.length > 0 && format !== "verbose_json")
    throw new Failure("invalid_value", "timestamp_granularities needs response_format verbose_json.", {
      param: "timestamp_granularities",
    });
  return found;
}

function temperatureOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const temperature = value.trim() === "" ? Number.NaN : Number(value);
  if (!(temperature >= 0 && temperature <= 1)) throw wrong("temperature", "a number from 0 to 1");
  return temperature;
}

function wrong(name: string, kind: string): Failure {
  return new Failure("invalid_value", `${name} must be ${kind}.`, { param: plain(name) });
}
