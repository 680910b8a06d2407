import { isRecord, type JsonRecord } from "@modelgate/formats/json";

/** Images, files and audio in a request: their size in the body, and the input tokens that they may cost. */
export interface Media {
  /** Characters of Base64 and data URLs, which are not text for the model. */
  readonly characters: number;
  /** Maximum number of input tokens that vendors usually count for this media. */
  readonly tokens: number;
  /** Additional tokens if images are counted at their full size; absent: none. */
  readonly more?: number | undefined;
}

/** Maximum tokens of one image: scaled down, or in patches (10,000 of up to 1.62 tokens) at a high `detail`. */
const tokensPerImage = { usual: 2_900, high: 16_384 } as const;
/** Values of `detail` at which images keep their size. */
const highDetails: ReadonlySet<unknown> = new Set(["high", "original"]);
/** Tokens per Base64 character of a file: its text has at most the decoded size, and a token about four bytes. */
const tokensPerFileBase64Character = 0.75 / 4;
/** Tokens per Base64 character of audio: speech has about ten tokens per second, at one kilobyte or more. */
const tokensPerAudioBase64Character = 0.01;
/** Tokens per Base64 character of video: at most about 300 tokens per second, at ten kilobytes or more. */
const tokensPerVideoBase64Character = 0.03;
/** Tokens of a document or clip that is given by its address: about a hundred pages. */
const tokensPerRemoteFile = 60_000;

/** Measures an object that is itself media; undefined for any other object, which may contain media. */
export type MediaMeasure = (part: JsonRecord) => Media | undefined;

/** Measures all media at any depth, since tool results contain images too. `measure` knows the wire's objects. */
export function mediaOf(value: unknown, measure: MediaMeasure): Media {
  let characters = 0;
  let tokens = 0;
  let more = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (Array.isArray(next)) for (const each of next) waiting.push(each);
    else if (isRecord(next)) {
      const measured = measure(next);
      if (measured === undefined) for (const name in next) waiting.push(next[name]);
      else {
        characters += measured.characters;
        tokens += measured.tokens;
        more += measured.more ?? 0;
      }
    }
  }
  return { characters, tokens: Math.ceil(tokens), ...(more > 0 ? { more } : {}) };
}

export const remoteFile: Media = { characters: 0, tokens: tokensPerRemoteFile };

/** Measures a part of the chat and responses wires, where `image_url` is an object or a string. */
export function measureTypedPart(part: JsonRecord): Media | undefined {
  const { image_url: imageUrlMember } = part;
  if (imageUrlMember !== undefined)
    return imageMedia(
      textAt(imageUrlMember, "url"),
      isRecord(imageUrlMember) ? imageUrlMember["detail"] : part["detail"],
    );
  if (typeof part["file_data"] === "string") return bytesMedia("application/pdf", part["file_data"]);
  if (typeof part["file_url"] === "string") return remoteFile;
  if (isRecord(part["input_audio"])) return bytesMedia("audio/", textAt(part["input_audio"], "data"));
  return part["video_url"] === undefined ? undefined : remoteFile;
}

export function imageMedia(url: string, detail?: unknown): Media {
  const more = highDetails.has(detail) ? { more: tokensPerImage.high - tokensPerImage.usual } : {};
  return { characters: url.startsWith("data:") ? url.length : 0, tokens: tokensPerImage.usual, ...more };
}

export function bytesMedia(mediaType: string, { length: characters }: string): Media {
  if (mediaType.startsWith("image/")) return { characters, tokens: tokensPerImage.usual };
  if (mediaType.startsWith("audio/")) return { characters, tokens: characters * tokensPerAudioBase64Character };
  if (mediaType.startsWith("video/")) return { characters, tokens: characters * tokensPerVideoBase64Character };
  return { characters, tokens: characters * tokensPerFileBase64Character };
}

/** Returns a member of an object, or the value itself, if it is a text; "" for anything else. */
export function textAt(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  const part = isRecord(value) ? value[name] : undefined;
  return typeof part === "string" ? part : "";
}
