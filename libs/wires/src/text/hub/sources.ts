import { ownEntry, includesAny } from "@modelgate/formats/json";
import { unsupportedFailure, type TextWireName } from "./request.ts";
import type { Source } from "./part.ts";

/** Returns the media type and the Base64 of a `data:` URL. */
export function readDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1;
  if (comma < 0) return undefined;
  const [mediaType, ...parameters] = url.slice("data:".length, comma).split(";");
  const body = url.slice(comma + 1);
  const data = parameters.includes("base64") ? body : Buffer.from(decodePercent(body)).toString("base64");
  return {
    mediaType: mediaType === undefined || mediaType === "" ? "text/plain" : normalizeMediaType(mediaType),
    data,
  };
}

/** Returns a media type in the spelling that vendors accept: `image/jpeg` instead of `image/jpg`. */
export function normalizeMediaType(mediaType: string): string {
  return mediaType.toLowerCase() === "image/jpg" ? "image/jpeg" : mediaType;
}

const jpgMediaType = Buffer.from('"image/jpg"');

const mediaTypeMember = /"(?:mime_?type|media_type)"\s{0,8}:\s{0,8}$/i;

const typeMemberBytes = 32;

/** Returns a body with all media types in the spelling that vendors accept. */
export function* normalizeMediaTypes(body: Buffer): Generator<undefined, Buffer> {
  if (!(yield* includesAny(body, jpgMediaType))) return body;
  const pieces: Buffer[] = [];
  let from = 0;
  for (
    let index = body.indexOf(jpgMediaType);
    index >= 0;
    index = body.indexOf(jpgMediaType, index + jpgMediaType.length)
  ) {
    if (!mediaTypeMember.test(body.toString("latin1", Math.max(from, index - typeMemberBytes), index))) continue;
    pieces.push(body.subarray(from, index), Buffer.from('"image/jpeg"'));
    from = index + jpgMediaType.length;
    yield;
  }
  return pieces.length === 0 ? body : Buffer.concat([...pieces, body.subarray(from)]);
}

export function writeDataUrl({ mediaType, data }: { readonly mediaType: string; readonly data: string }): string {
  return `data:${mediaType};base64,${data}`;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const mediaTypes: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  mp4: "video/mp4",
};

/** Returns a file's media type by the extension of its name. */
export function mediaTypeOfName(name: string): string | undefined {
  const [, ending] = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(name) ?? [];
  return ending === undefined ? undefined : ownEntry(mediaTypes, ending.toLowerCase());
}

/** Media types of `input_audio`, by format. */
export const audioTypes = { mp3: "audio/mpeg", wav: "audio/wav" } as const;

/** Returns audio in the form of `input_audio`. Throws Failure for other sources and formats. */
export function audioBytes(source: Source): { readonly data: string; readonly format: keyof typeof audioTypes } {
  if (source.kind !== "base64") throw unsupportedFailure("audio by address");
  const format = source.mediaType === audioTypes.mp3 ? "mp3" : source.mediaType.endsWith("wav") ? "wav" : undefined;
  if (format === undefined) throw unsupportedFailure(`${source.mediaType} parts`);
  return { data: source.data, format };
}

export function sourceFromUrl(url: string): Source {
  const dataUrl = readDataUrl(url);
  return dataUrl === undefined ? { kind: "url", url } : { kind: "base64", ...dataUrl };
}

/**
 * Returns the source for an address on a wire of Google. An address in Google's store becomes a file id, because
 * vendors of other wires cannot read it.
 */
export function sourceFromGoogleUri(uri: string, mediaType: string | undefined, wire: TextWireName): Source {
  const typed = mediaType === undefined ? {} : { mediaType };
  const stored = !/^https?:/.test(uri) || uri.startsWith("https://generativelanguage.googleapis.com/");
  return stored ? { kind: "file-id", wire, id: uri, ...typed } : { kind: "url", url: uri, ...typed };
}
