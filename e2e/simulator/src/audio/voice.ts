import { clausesOf } from "./clauses.ts";
import { fliteRate, fliteVoices, sayEnglish, type FliteVoice } from "./flite.ts";
import { hum } from "./hum.ts";
import { RecentClauses } from "./recent-clauses.ts";

/** Samples a second of everything that is spoken: 16 bit, mono. */
export const sampleRate = 24_000;

/** How long a character is spoken at speed 1; a digit, which is a word, takes that of several. */
const characterSeconds = 0.06;
const charactersPerDigit = 5;
/** What is given out at once. */
const pieceSamples = sampleRate / 5;
/** How a voice has to hurry at speed 1 for most clauses to fit their time, and how far beside it a second try may be. */
const [usualStretch, safety] = [0.8, 0.98] as const;

/** Words as they are spoken, in time that is known before a word is said. */
export interface Speech {
  readonly samples: number;
  readonly seconds: number;
  pieces(): Iterable<Int16Array>;
}

/** Who speaks, and how fast: 1 is usual. */
export interface Manner {
  readonly voice: string;
  readonly speed: number;
}

/**
 * Speaks a text, clause by clause; the same text, voice and speed sound the same. English is said by a synthesiser;
 * clauses without a Latin letter or a digit, which it cannot read, are hummed.
 */
export function speak(text: string, manner: Manner): Speech {
  const clauses = clausesOf(text === "" ? "." : text);
  const samples = clauses.reduce((sum, clause) => sum + samplesOf(clause, manner), 0);
  return {
    samples,
    seconds: samples / sampleRate,
    *pieces() {
      for (const clause of clauses) {
        const spoken = speakClause(clause, manner);
        for (let at = 0; at < spoken.length; at += pieceSamples) yield spoken.subarray(at, at + pieceSamples);
      }
    },
  };
}

const recent = new RecentClauses();

function speakClause(clause: string, manner: Manner): Int16Array {
  return recent.of(`${manner.voice} ${manner.speed} ${clause}`, () => {
    const spoken = new Int16Array(samplesOf(clause, manner));
    const readable = clause
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .replaceAll(/[^ -~]/g, " ");
    if (/[a-z\d]/i.test(readable)) sayInto(spoken, readable, manner);
    else humInto(spoken, clause, manner);
    return spoken;
  });
}

/** Says words in the time that there is: faster where they take longer, with a rest after them where they do not. */
function sayInto(into: Int16Array, words: string, { voice, speed }: Manner): void {
  const who = fliteVoices[sumOf(voice) % fliteVoices.length] ?? fliteVoices[0];
  const most = Math.floor((into.length * fliteRate) / sampleRate);
  const said = inTime(words, who, { stretch: usualStretch / speed, most });
  const step = fliteRate / sampleRate;
  for (let at = 0; at < into.length; at++) {
    const from = Math.floor(at * step);
    const [here, next] = [said[from] ?? 0, said[from + 1] ?? 0];
    into[at] = here + (next - here) * (at * step - from);
  }
}

function inTime(
  words: string,
  voice: FliteVoice,
  { stretch, most }: { readonly stretch: number; readonly most: number },
): Int16Array {
  const said = sayEnglish(words, voice, stretch);
  return said.length <= most ? said : sayEnglish(words, voice, (stretch * safety * most) / said.length);
}

function humInto(into: Int16Array, clause: string, { voice, speed }: Manner): void {
  const pitch = 100 + (sumOf(voice) % 120);
  let at = 0;
  for (const letter of clause) {
    const end = at + samplesOf(letter, { speed });
    hum({ into: into.subarray(at, end), rate: sampleRate, letter, pitch });
    at = end;
  }
}

/** How many samples a text lasts: so many for each of its characters, whatever it says. */
function samplesOf(text: string, { speed }: Pick<Manner, "speed">): number {
  const perCharacter = Math.round((characterSeconds * sampleRate) / speed);
  let characters = 0;
  for (const letter of text) characters += /\d/.test(letter) ? charactersPerDigit : 1;
  return characters * perCharacter;
}

function sumOf(text: string): number {
  let sum = 0;
  for (const letter of text) sum += letter.codePointAt(0) ?? 0;
  return sum;
}
