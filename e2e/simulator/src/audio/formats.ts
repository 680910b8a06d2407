import { flac } from "./flac.ts";
import { mp3 } from "./mp3.ts";
import { opus } from "./opus.ts";
import type { Speech } from "./voice.ts";
import { pcm, wav } from "./wav.ts";

/** A form of audio: its media type, and how speech becomes it, piece by piece. */
interface AudioFormat {
  readonly contentType: string;
  readonly encode: (speech: Speech) => Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Its encoder is large, and seldom asked for: it is loaded when it is. */
async function* aac(speech: Speech): AsyncGenerator<Buffer> {
  const encoder = await import("./aac.ts");
  yield* encoder.aac(speech);
}

/** Every form that speech is asked for in. */
export const audioFormats = {
  mp3: { contentType: "audio/mpeg", encode: mp3 },
  opus: { contentType: "audio/ogg", encode: opus },
  aac: { contentType: "audio/aac", encode: aac },
  flac: { contentType: "audio/flac", encode: flac },
  wav: { contentType: "audio/wav", encode: wav },
  pcm: { contentType: "audio/pcm", encode: pcm },
} as const satisfies Record<string, AudioFormat>;

/** A form by its name; undefined for none. */
export function audioFormatOf(name: string): AudioFormat | undefined {
  return Object.entries<AudioFormat>(audioFormats).find(([known]) => known === name)?.[1];
}
