/** PCM of 16 bits and 24 kHz, one channel: what both realtime vendors speak unless asked otherwise. */
const bytesPerSecond = 48_000;
/** The stated rules of every simulated vendor: ten tokens a second of speech heard, twenty of speech made. */
const [heardPerSecond, madePerSecond] = [10, 20];
/** A letter is spoken in a fortieth of a second. */
const bytesPerLetter = bytesPerSecond / 40;

const sine = ((): Buffer => {
  const wave = Buffer.alloc(bytesPerSecond);
  for (let at = 0; at < wave.length / 2; at++)
    wave.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * 440 * at) / (bytesPerSecond / 2))), at * 2);
  return wave;
})();

/** Words as a tone as long as they are: real samples, and the same for the same words. */
export function spoken(words: string): Buffer {
  const bytes = words.length * bytesPerLetter;
  return Buffer.concat([
    ...Array.from({ length: Math.floor(bytes / sine.length) }, () => sine),
    sine.subarray(0, bytes % sine.length),
  ]);
}

/** Tokens of speech that was made. */
export function madeTokens(bytes: number): number {
  return Math.ceil((bytes * madePerSecond) / bytesPerSecond);
}

/** Tokens of speech that was heard. */
export function heardTokens(bytes: number): number {
  return Math.ceil((bytes * heardPerSecond) / bytesPerSecond);
}

/** Length of speech. */
export function milliseconds(bytes: number): number {
  return Math.round((bytes * 1_000) / bytesPerSecond);
}

/** Whether nothing but silence is in the samples. */
function isSilent(samples: Buffer): boolean {
  return samples.every((byte) => byte === 0);
}

/** What a piece of audio means to a listener for turns. */
export type Heard = "nothing" | "speech began" | "speech" | "speech ended";

/** Listens for turns by the simplest rule there is: samples that are all zero are silence, everything else is speech. */
export class Voice {
  #speaking = false;

  hear(samples: Buffer): Heard {
    const silent = isSilent(samples);
    if (this.#speaking === !silent) return silent ? "nothing" : "speech";
    this.#speaking = !silent;
    return silent ? "speech ended" : "speech began";
  }
}
