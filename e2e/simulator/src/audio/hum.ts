/** Two resonances of a letter in Hz, about where they are in speech; what is no vowel gets a place between them. */
const resonances: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["a", [730, 1_090]],
  ["e", [530, 1_840]],
  ["i", [270, 2_290]],
  ["o", [570, 840]],
  ["u", [300, 870]],
  ["y", [290, 2_100]],
]);

/** Something to hum: samples to fill, their rate, and the letter. */
export interface Hummed {
  readonly into: Int16Array;
  readonly rate: number;
  readonly letter: string;
  /** Hz. */
  readonly pitch: number;
}

/** Fills samples with a letter as two resonances over a pulse: no word is understood. What is no letter is silent. */
export function hum({ into, rate, letter, pitch }: Hummed): void {
  if (!/[\p{L}\p{N}]/u.test(letter)) return;
  const code = letter.codePointAt(0) ?? 0;
  const [low, high] = resonances.get(letter.toLowerCase()) ?? [400 + (code % 7) * 50, 1_200 + (code % 11) * 90];
  for (let at = 0; at < into.length; at++) {
    const time = (2 * Math.PI * at) / rate;
    const envelope = Math.sin((Math.PI * at) / into.length);
    const pulse = 0.6 + 0.4 * Math.sin(time * pitch);
    into[at] = 12_000 * envelope * pulse * (0.6 * Math.sin(time * low) + 0.4 * Math.sin(time * high));
  }
}
