import { secondsOf } from "../../audio/transcript.ts";
import { Refusal, wrongField } from "../../checks/refusal.ts";
import { valuesOf, type Form, type FormFile } from "../../core/form.ts";

/** Parsed request for a transcript. */
export interface TranscriptRequest {
  readonly model: string;
  readonly file: FormFile;
  readonly seconds: number;
  readonly format: string;
  readonly prompt: string;
  readonly language: string;
  readonly granularities: readonly string[];
  readonly stream: boolean;
}

/** Extensions of file formats that the vendor accepts. */
const extensions = /\.(?:flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/i;
const known: ReadonlySet<string> = new Set([
  "model",
  "language",
  "prompt",
  "response_format",
  "temperature",
  "timestamp_granularities[]",
  "timestamp_granularities",
  "stream",
  "include[]",
  "chunking_strategy",
]);
const onlyTranscribed = ["language", "timestamp_granularities", "stream", "include", "chunking_strategy"];

/** Returns true for a model of the transcribe family. It streams, bills by tokens, and reports no times of words. */
export function isTranscribeModel(model: string): boolean {
  return /transcribe/.test(model);
}

/** Reads a form as strictly as the vendor does. Throws a Refusal if it is invalid. */
export async function readTranscript(form: Form | undefined, translates: boolean): Promise<TranscriptRequest> {
  if (form === undefined) throw new Refusal(400, "The body is not a valid form.");
  const model = requiredValue(form, "model");
  const format = valuesOf(form, "response_format")[0] ?? "json";
  const granularities = valuesOf(form, "timestamp_granularities");
  checkFields(form, translates);
  checkFormat(model, format, granularities);
  const { file, seconds } = await fileIn(form);
  return {
    model,
    file,
    seconds,
    format,
    prompt: valuesOf(form, "prompt")[0] ?? "",
    language: valuesOf(form, "language")[0] ?? "en",
    granularities,
    stream: valuesOf(form, "stream")[0]?.toLowerCase() === "true",
  };
}

function checkFields(form: Form, translates: boolean): void {
  for (const [name] of form.fields) {
    const plain = name.replace(/\[\]$/, "");
    if (!known.has(name) || (translates && onlyTranscribed.includes(plain)))
      throw wrongField([plain], `There is no parameter '${plain}'.`, "unknown_parameter");
  }
  const temperature = Number(valuesOf(form, "temperature")[0] ?? 0);
  if (!(temperature >= 0 && temperature <= 1)) throw wrongField(["temperature"], "'temperature' must be from 0 to 1.");
}

function checkFormat(model: string, format: string, granularities: readonly string[]): void {
  const formats = isTranscribeModel(model) ? ["json"] : ["json", "text", "srt", "verbose_json", "vtt"];
  if (!formats.includes(format))
    throw wrongField(["response_format"], `response_format '${format}' is not compatible with model '${model}'.`);
  if (granularities.some((each) => each !== "word" && each !== "segment"))
    throw wrongField(["timestamp_granularities"], "It must be 'word' or 'segment'.");
  if (granularities.length > 0 && format !== "verbose_json")
    throw wrongField(["timestamp_granularities"], "It needs response_format 'verbose_json'.");
}

async function fileIn(form: Form): Promise<{ readonly file: FormFile; readonly seconds: number }> {
  const [file, second] = form.files;
  if (file === undefined || file.name !== "file") throw wrongField(["file"], "'file' is required.");
  if (second !== undefined) throw wrongField([second.name], `There is no parameter '${second.name}'.`);
  if (!extensions.test(file.filename)) throw wrongField(["file"], "Unrecognized file format.");
  const seconds = await secondsOf(file.bytes, file.contentType);
  if (seconds === undefined) throw wrongField(["file"], "The audio file could not be decoded or is not supported.");
  return { file, seconds };
}

function requiredValue(form: Form, name: string): string {
  const [value, second] = valuesOf(form, name);
  if (value === undefined) throw wrongField([name], `'${name}' is required.`, "missing_required_parameter");
  if (second !== undefined) throw wrongField([name], `'${name}' is given twice.`);
  return value;
}
