/** PCM with 16 bits, 24 kHz and one channel, the default format of realtime vendors. */
const bytesPerSecond = 48_000;
/** Tokens per second of received and of generated speech. */
const [inputTokensPerSecond, outputTokensPerSecond] = [10, 20];
/** Bytes of speech per letter, which takes a fortieth of a second. */
const bytesPerLetter = bytesPerSecond / 40;

const sine = ((): Buffer => {
  const wave = Buffer.alloc(bytesPerSecond);
  for (let at = 0; at < wave.length / 2; at++)
    wave.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * 440 * at) / (bytesPerSecond / 2))), at * 2);
  return wave;
})();

/** Returns a tone whose length depends on the text. */
export function toneFor(words: string): Buffer {
  const bytes = words.length * bytesPerLetter;
  return Buffer.concat([
    ...Array.from({ length: Math.floor(bytes / sine.length) }, () => sine),
    sine.subarray(0, bytes % sine.length),
  ]);
}

export function generatedSpeechTokens(bytes: number): number {
  return Math.ceil((bytes * outputTokensPerSecond) / bytesPerSecond);
}

export function receivedSpeechTokens(bytes: number): number {
  return Math.ceil((bytes * inputTokensPerSecond) / bytesPerSecond);
}

export function millisecondsOf(bytes: number): number {
  return Math.round((bytes * 1_000) / bytesPerSecond);
}

function isSilent(samples: Buffer): boolean {
  return samples.every((byte) => byte === 0);
}

/** Result of turn detection for a piece of audio. */
export type SpeechEvent = "nothing" | "speech began" | "speech" | "speech ended";

/** Detects turns of speech. Samples that are all zero are silence. */
export class TurnDetector {
  #speaking = false;

  addSamples(samples: Buffer): SpeechEvent {
    const silent = isSilent(samples);
    if (this.#speaking === !silent) return silent ? "nothing" : "speech";
    this.#speaking = !silent;
    return silent ? "speech ended" : "speech began";
  }
}
