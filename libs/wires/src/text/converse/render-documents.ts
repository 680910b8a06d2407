import { present } from "@modelgate/contracts";
import { own } from "../../json/own.ts";
import { unsupportedFailure } from "../hub/field-support.ts";
import type { FilePart, Source } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";

const imageFormats: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const videoFormats: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
  "video/x-matroska": "mkv",
  "video/mpeg": "mpeg",
  "video/x-flv": "flv",
  "video/x-ms-wmv": "wmv",
  "video/3gpp": "three_gp",
};

const audioFormats: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "audio/aac": "aac",
  "audio/opus": "opus",
};

const documentFormats: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/json": "txt",
  "application/xml": "txt",
  "application/yaml": "txt",
};

const formats = { image: imageFormats, video: videoFormats, audio: audioFormats } as const;

/** A picture, film or sound. Throws Failure unsupported_parameter for an address: the vendor fetches none. */
export function renderMedia(kind: keyof typeof formats, source: Source): JsonObject {
  const { mediaType, data } = bytesOf(kind, source);
  const format = own(formats[kind], mediaType);
  if (format === undefined) throw unsupportedFailure(`${mediaType} parts`);
  return { [kind]: { format, source: { bytes: data } } };
}

/** A file as a document; `name` is one that the vendor takes and that no other document of the request has. */
export function renderDocument({ source, context, citations }: FilePart, name: string): JsonObject {
  return {
    document: present({
      ...contentOf(source),
      name,
      context,
      citations: citations === true ? { enabled: true } : undefined,
    }),
  };
}

function contentOf(source: FilePart["source"]): JsonObject {
  if (source.kind === "text") return { format: "txt", source: { bytes: Buffer.from(source.text).toString("base64") } };
  const { mediaType, data } = bytesOf("file", source);
  const format = own(documentFormats, mediaType) ?? (mediaType.startsWith("text/") ? "txt" : undefined);
  if (format === undefined) throw unsupportedFailure(`${mediaType} parts`);
  return { format, source: { bytes: data } };
}

function bytesOf(kind: string, source: Source): Extract<Source, { kind: "base64" }> {
  if (source.kind === "base64") return source;
  throw unsupportedFailure(source.kind === "url" ? `${kind} parts by address` : "file ids of another vendor");
}

/** Gives documents names of the vendor's characters, each another: it refuses two of one name. */
export class DocumentNames {
  readonly #given = new Set<string>();

  /** A name for a file, after the client's own. */
  give({ title, name }: Pick<FilePart, "title" | "name">): string {
    const wanted = (title ?? name ?? "")
      .replaceAll(/[^\p{L}\p{N}\s()[\]-]/gu, "-")
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, mostNameCharacters);
    const plain = wanted === "" ? "document" : wanted;
    let given = plain;
    for (let number = 2; this.#given.has(given); number++) given = `${plain} (${number})`;
    this.#given.add(given);
    return given;
  }
}

/** The vendor takes 200, a number behind included. */
const mostNameCharacters = 190;
