import { readDataUrl } from "./data-url.ts";
import { unsupportedFailure } from "./field-support.ts";
import type { Source } from "./part.ts";

/** Formats of `input_audio`, which the chat and responses wires spell alike, and their media types. */
export const audioTypes = { mp3: "audio/mpeg", wav: "audio/wav" } as const;

/** Audio as `input_audio` holds it. Throws Failure for what it cannot hold. */
export function audioBytes(source: Source): { readonly data: string; readonly format: keyof typeof audioTypes } {
  if (source.kind !== "base64") throw unsupportedFailure("audio by address");
  const format = source.mediaType === audioTypes.mp3 ? "mp3" : source.mediaType.endsWith("wav") ? "wav" : undefined;
  if (format === undefined) throw unsupportedFailure(`${source.mediaType} parts`);
  return { data: source.data, format };
}

/** An address, or the bytes of a data URL. */
export function sourceOfUrl(url: string): Source {
  const read = readDataUrl(url);
  return read === undefined ? { kind: "url", url } : { kind: "base64", ...read };
}
