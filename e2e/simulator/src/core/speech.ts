/** Bytes per second of PCM with 16 bits, 24 kHz and one channel: the default format of the realtime vendors. */
const bytesPerSecond = 48_000;
/** Tokens per second that simulated vendors count in sessions: of received speech, and of generated speech. */
const [heardPerSecond, madePerSecond] = [10, 20];
/** Bytes of speech per letter, which takes a fortieth of a second. */
const bytesPerLetter = bytesPerSecond / 40;

const sine = ((): Buffer => {
  const wave = Buffer.alloc(bytesPerSecond);
  for (let at = 0; at < wave.length / 2; at++)
    wave.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * 440 * at) / (bytesPerSecond / 2))), at * 2);
  return wave;
})();

/** Returns a tone with a length that depends on the text. The same text gives the same samples. */
export function toneFor(words: string): Buffer {
  const bytes = words.length * bytesPerLetter;
  return Buffer.concat([
    ...Array.from({ length: Math.floor(bytes / sine.length) }, () => sine),
    sine.subarray(0, bytes % sine.length),
  ]);
}

/** Returns the tokens of generated speech. */
export function madeTokens(bytes: number): number {
  return Math.ceil((bytes * madePerSecond) / bytesPerSecond);
}

/** Returns the tokens of received speech. */
export function heardTokens(bytes: number): number {
  return Math.ceil((bytes * heardPerSecond) / bytesPerSecond);
}

/** Returns the length of speech in ms. */
export function milliseconds(bytes: number): number {
  return Math.round((bytes * 1_000) / bytesPerSecond);
}

/** Returns true if all samples are silent. */
function isSilent(samples: Buffer): boolean {
  return samples.every((byte) => byte === 0);
}

/** Meaning of a piece of audio for turn detection. */
export type SpeechEvent = "nothing" | "speech began" | "speech" | "speech ended";

/** Detects turns with a simple rule: samples that are all zero are silence, and all others are speech. */
export class TurnDetector {
  #speaking = false;

  hear(samples: Buffer): SpeechEvent {
    const silent = isSilent(samples);
    if (this.#speaking === !silent) return silent ? "nothing" : "speech";
    this.#speaking = !silent;
    return silent ? "speech ended" : "speech began";
  }
}
