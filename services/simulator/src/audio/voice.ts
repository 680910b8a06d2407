/** Samples a second of everything that is spoken: 16 bit, mono. */
export const sampleRate = 24_000;

/** How long a character is spoken at speed 1. */
const characterSeconds = 0.06;
/** Characters that are spoken in one piece. */
const pieceCharacters = 8;

/** Two resonances of a letter in Hz, about where they are in speech; what is no vowel gets a place between them. */
const resonances: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["a", [730, 1_090]],
  ["e", [530, 1_840]],
  ["i", [270, 2_290]],
  ["o", [570, 840]],
  ["u", [300, 870]],
  ["y", [290, 2_100]],
]);

/** Words as a voice of two resonances over a pulse: no word is understood, but lengths, pauses and pitch are there. */
export interface Speech {
  readonly samples: number;
  readonly seconds: number;
  pieces(): Iterable<Int16Array>;
}

/** Speaks a text; the same text, voice and speed sound the same. */
export function speak(text: string, { voice, speed }: { readonly voice: string; readonly speed: number }): Speech {
  const characters = Array.from(text === "" ? "." : text);
  const perCharacter = Math.round((characterSeconds * sampleRate) / speed);
  const pitch = 100 + (sumOf(voice) % 120);
  const samples = perCharacter * characters.length;
  return {
    samples,
    seconds: samples / sampleRate,
    *pieces() {
      for (let at = 0; at < characters.length; at += pieceCharacters) {
        const letters = characters.slice(at, at + pieceCharacters);
        const piece = new Int16Array(letters.length * perCharacter);
        for (const [index, letter] of letters.entries())
          sound(piece.subarray(index * perCharacter, (index + 1) * perCharacter), letter.toLowerCase(), pitch);
        yield piece;
      }
    },
  };
}

function sound(into: Int16Array, letter: string, pitch: number): void {
  if (/[\s\p{P}]/u.test(letter)) return;
  const [low, high] = resonances.get(letter) ?? [400 + (sumOf(letter) % 7) * 50, 1_200 + (sumOf(letter) % 11) * 90];
  for (let at = 0; at < into.length; at++) {
    const time = (2 * Math.PI * at) / sampleRate;
    const envelope = Math.sin((Math.PI * at) / into.length);
    const pulse = 0.6 + 0.4 * Math.sin(time * pitch);
    into[at] = 12_000 * envelope * pulse * (0.6 * Math.sin(time * low) + 0.4 * Math.sin(time * high));
  }
}

function sumOf(text: string): number {
  let sum = 0;
  for (const letter of text) sum += letter.codePointAt(0) ?? 0;
  return sum;
}
