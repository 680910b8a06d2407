import { parseBuffer } from "music-metadata";

export interface TimedText {
  readonly text: string;
  /** Seconds from the start of the file. */
  readonly start: number;
  readonly end: number;
}

/** Simulated transcript, with words at an even pace. */
export interface Transcript {
  readonly seconds: number;
  readonly text: string;
  readonly words: readonly TimedText[];
  readonly segments: readonly TimedText[];
}

const defaultText = "we heard this file from its begin to its end and wrote down every word of it".split(" ");
const secondsPerWord = 0.5;
const wordsPerSegment = 5;

/** Returns the length of an audio file in seconds; undefined if it is not audio. */
export async function secondsOf(bytes: Buffer, contentType: string): Promise<number | undefined> {
  return (await countSeconds(bytes)) ?? (await taggedSeconds(bytes, contentType));
}

/** Counts the frames. The reader is large, so it is imported on demand. */
async function countSeconds(bytes: Buffer): Promise<number | undefined> {
  const { ADTS, BufferSource, FLAC, Input, MP3, MP4, OGG, WAVE, WEBM } = await import("mediabunny");
  const formats = [MP3, WAVE, FLAC, OGG, WEBM, MP4, ADTS];
  using input = new Input({ formats, source: new BufferSource(bytes) });
  try {
    return await (await input.getPrimaryAudioTrack())?.computeDuration();
  } catch {
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

/** Returns a transcript with these words. The default words depend only on the length. */
export function transcriptFor(seconds: number, script?: string): Transcript {
  const texts =
    script?.split(/\s+/).filter((word) => word !== "") ??
    defaultWords(Math.max(1, Math.floor(seconds / secondsPerWord)));
  const pace = seconds / Math.max(1, texts.length);
  const words = texts.map((text, at) => ({ text, start: toMillis(at * pace), end: toMillis((at + 1) * pace) }));
  const segments: TimedText[] = [];
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

function defaultWords(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => defaultText[at % defaultText.length] ?? "");
}

function toMillis(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
