import { isRecord, type JsonRecord } from "../json/fields.ts";

/** Images, files and audio in a request: how much of the body they are, and how many tokens they may become. */
export interface Media {
  /** Characters of Base64 and data URLs: they are not text to the model. */
  readonly characters: number;
  /** An upper bound of the input tokens that vendors usually count for them. */
  readonly tokens: number;
  /** Tokens beyond those that images may come to at their own size; absent: none. */
  readonly more?: number | undefined;
}

/**
 * Most tokens of one image. Where a request does not ask for a high detail, vendors make images small before they count
 * them; at their own size they are counted by the patch, up to 10,000 patches of up to 1.62 tokens.
 */
const tokensPerImage = { usual: 2_900, high: 16_384 } as const;
/** Words for a detail at which images keep their size. */
const highDetails: ReadonlySet<unknown> = new Set(["high", "original"]);
/** A file's text is at most its decoded size, a token at least about four bytes. */
const tokensPerFileCharacter = 0.75 / 4;
/** Speech is about ten tokens a second, and no codec in use is below a kilobyte a second. */
const tokensPerAudioCharacter = 0.01;
/** A video is at most about 300 tokens a second, and no codec in use is below ten kilobytes a second. */
const tokensPerVideoCharacter = 0.03;
/** A document or clip that only its address is known of: about a hundred pages. */
const tokensPerRemoteFile = 60_000;

/** Measures an object that is media itself; undefined for one that only may hold some. */
export type MediaMeasure = (part: JsonRecord) => Media | undefined;

/**
 * Measures the media in a request's content, wherever they are in it (tool results hold images too). What has the
 * wire's shape of media is measured as such, all else is walked through.
 */
export function mediaOf(value: unknown, measure: MediaMeasure): Media {
  let characters = 0;
  let tokens = 0;
  let more = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (Array.isArray(next)) for (const each of next) waiting.push(each);
    else if (isRecord(next)) {
      const found = measure(next);
      if (found === undefined) for (const each of Object.values(next)) waiting.push(each);
      else {
        characters += found.characters;
        tokens += found.tokens;
        more += found.more ?? 0;
      }
    }
  }
  return { characters, tokens: Math.ceil(tokens), ...(more > 0 ? { more } : {}) };
}

/** A document or clip of which only the address is known. */
export const remoteFile: Media = { characters: 0, tokens: tokensPerRemoteFile };

/** Measures a part of the chat and responses wires: `image_url` is an object or a string there. */
export function measureTypedPart(part: JsonRecord): Media | undefined {
  const { image_url: shown } = part;
  if (shown !== undefined) return imageMedia(textAt(shown, "url"), isRecord(shown) ? shown["detail"] : part["detail"]);
  if (typeof part["file_data"] === "string") return bytesMedia("application/pdf", part["file_data"]);
  if (typeof part["file_url"] === "string") return remoteFile;
  if (isRecord(part["input_audio"])) return bytesMedia("audio/", textAt(part["input_audio"], "data"));
  return part["video_url"] === undefined ? undefined : remoteFile;
}

/** Measures an image by its address, or its data URL. */
export function imageMedia(url: string, detail?: unknown): Media {
  const more = highDetails.has(detail) ? { more: tokensPerImage.high - tokensPerImage.usual } : {};
  return { characters: url.startsWith("data:") ? url.length : 0, tokens: tokensPerImage.usual, ...more };
}

/** Measures bytes in Base64 by their media type. */
export function bytesMedia(mediaType: string, { length: characters }: string): Media {
  if (mediaType.startsWith("image/")) return { characters, tokens: tokensPerImage.usual };
  if (mediaType.startsWith("audio/")) return { characters, tokens: characters * tokensPerAudioCharacter };
  if (mediaType.startsWith("video/")) return { characters, tokens: characters * tokensPerVideoCharacter };
  return { characters, tokens: characters * tokensPerFileCharacter };
}

/** Reads a member that is text; a text stands for itself, and "" for anything else. */
export function textAt(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  const found = isRecord(value) ? value[name] : undefined;
  return typeof found === "string" ? found : "";
}
