import { isRecord, type Fields } from "../../json/fields.ts";
import { contentOf, type ReadPart } from "../hub/content.ts";
import { mediaTypeOfName, readDataUrl } from "../hub/data-url.ts";
import { parseLogProbabilities } from "../hub/log-probabilities.ts";
import { audioTypes, sourceOfUrl } from "../hub/media.ts";
import type { Citation, FilePart, Part, Source } from "../hub/part.ts";

/** A message's content, or a tool's output: text, or parts. */
export function parseContent(of: Fields, name: string): readonly Part[] {
  return contentOf(of, name, readers);
}

const readText: ReadPart = (part) => ({ kind: "text", text: part.needText("text") });

const readers: Readonly<Record<string, ReadPart>> = {
  input_text: readText,
  // What a reasoning model's tools and older clients send for the same thing.
  text: readText,
  output_text: readOutputText,
  refusal: (part) => ({ kind: "refusal", text: part.needText("refusal") }),
  input_image: readImage,
  input_file: readFile,
  input_audio: readAudio,
};

function readOutputText(part: Fields): Part {
  const citations = (part.list("annotations") ?? []).flatMap((value) => parseAnnotation(value));
  const logProbabilities = parseLogProbabilities(part.raw("logprobs"));
  return {
    kind: "text",
    text: part.needText("text"),
    ...(citations.length > 0 ? { citations } : {}),
    ...(logProbabilities.length > 0 ? { logProbabilities } : {}),
  };
}

/** An annotation of a text, kept whole for the same wire; none for what is no object. */
export function parseAnnotation(value: unknown): readonly Citation[] {
  if (!isRecord(value)) return [];
  const { url, title, filename, start_index: start, end_index: end } = value;
  const name = typeof title === "string" ? title : filename;
  return [
    {
      ...(typeof url === "string" ? { url } : {}),
      ...(typeof name === "string" ? { title: name } : {}),
      ...(typeof start === "number" ? { start } : {}),
      ...(typeof end === "number" ? { end } : {}),
      own: { wire: "responses", value },
    },
  ];
}

function readImage(part: Fields): Part {
  const detail = part.text("detail");
  const url = part.text("image_url");
  const id = part.text("file_id");
  const source = url === undefined ? fileId(part, id, "image_url") : sourceOfUrl(url);
  return { kind: "image", source, ...(detail === undefined || detail === "auto" ? {} : { detail }) };
}

function readFile(part: Fields): FilePart {
  const name = part.text("filename");
  const data = part.text("file_data");
  const url = part.text("file_url");
  const id = part.text("file_id");
  const named = name === undefined ? {} : { name };
  if (data !== undefined) return { kind: "file", source: dataSource(data, name), ...named };
  if (url !== undefined) return { kind: "file", source: sourceOfUrl(url), ...named };
  return { kind: "file", source: fileId(part, id, "file_data"), ...named };
}

function dataSource(data: string, name: string | undefined): Source {
  const read = readDataUrl(data);
  if (read !== undefined) return { kind: "base64", ...read };
  return { kind: "base64", mediaType: mediaTypeOfName(name ?? "") ?? "application/pdf", data };
}

function fileId(part: Fields, id: string | undefined, missing: string): Source {
  return { kind: "file-id", wire: "responses", id: id ?? part.needText(missing) };
}

function readAudio(part: Fields): Part {
  const audio = part.fields("input_audio");
  if (audio === undefined) throw part.wrong("input_audio", "an object");
  const format = audio.word("format", ["mp3", "wav"]) ?? "wav";
  return { kind: "audio", source: { kind: "base64", mediaType: audioTypes[format], data: audio.needText("data") } };
}
