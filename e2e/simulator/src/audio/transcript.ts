import { parseBuffer } from "music-metadata";

/** Something that was said, and when. */
export interface Said {
  readonly text: string;
  /** Seconds from the file's begin. */
  readonly start: number;
  readonly end: number;
}

/** What is heard in a file: words at an even pace over its whole length. */
export interface Heard {
  readonly seconds: number;
  readonly text: string;
  readonly words: readonly Said[];
  readonly segments: readonly Said[];
}

const usualWords = "we heard this file from its begin to its end and wrote down every word of it".split(" ");
const secondsPerWord = 0.5;
const wordsPerSegment = 5;

/** How long a file is: counted where it has frames, else by what it says of itself; undefined for what is no audio. */
export async function secondsOf(bytes: Buffer, contentType: string): Promise<number | undefined> {
  return (await counted(bytes)) ?? (await taggedSeconds(bytes, contentType));
}

/** The reader of frames is large, and loaded with the first file. */
async function counted(bytes: Buffer): Promise<number | undefined> {
  const { ADTS, BufferSource, FLAC, Input, MP3, MP4, OGG, WAVE, WEBM } = await import("mediabunny");
  const formats = [MP3, WAVE, FLAC, OGG, WEBM, MP4, ADTS];
  using input = new Input({ formats, source: new BufferSource(bytes) });
  try {
    return await (await input.getPrimaryAudioTrack())?.computeDuration();
  } catch {
    // Another kind, or no audio at all.
    return undefined;
  }
}

async function taggedSeconds(bytes: Buffer, contentType: string): Promise<number | undefined> {
  try {
    const { format } = await parseBuffer(bytes, { mimeType: contentType, size: bytes.length }, { duration: true });
    return format.duration;
  } catch {
    return undefined;
  }
}

/** A transcript that follows from a file's length alone, or says the words that are given. */
export function hear(seconds: number, said?: string): Heard {
  const texts =
    said?.split(/\s+/).filter((word) => word !== "") ?? usual(Math.max(1, Math.floor(seconds / secondsPerWord)));
  const pace = seconds / Math.max(1, texts.length);
  const words = texts.map((text, at) => ({ text, start: toMillis(at * pace), end: toMillis((at + 1) * pace) }));
  const segments: Said[] = [];
  for (let at = 0; at < words.length; at += wordsPerSegment) {
    const part = words.slice(at, at + wordsPerSegment);
    segments.push({
      text: ` ${part.map(({ text }) => text).join(" ")}`,
      start: part[0]?.start ?? 0,
      end: part.at(-1)?.end ?? seconds,
    });
  }
  return { seconds, text: texts.join(" "), words, segments };
}

function usual(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => usualWords[at % usualWords.length] ?? "");
}

function toMillis(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
