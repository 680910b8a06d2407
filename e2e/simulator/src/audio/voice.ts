import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { once } from "@modelgate/platform";

/** Samples per second. All speech has 16 bits and one channel. */
export const sampleRate = 24_000;

/** Seconds per character at speed 1. A digit is spoken as a word. */
const characterSeconds = 0.06;
const charactersPerDigit = 5;
const pieceSamples = sampleRate / 5;

/** Spoken sentence: mono, 8 bits, at half the sample rate. */
const recording = once((): Buffer => readFileSync(new URL("./voice.wav", import.meta.url)).subarray(44));

/** Speech. The length is known before the samples are computed. */
export interface Speech {
  readonly samples: number;
  readonly seconds: number;
  pieces(): Iterable<Int16Array>;
}

/** Creates speech from the recording. The same text, voice and speed give the same samples. */
export function synthesize(text: string, { voice, speed }: { readonly voice: string; readonly speed: number }): Speech {
  const characters = Array.from(text === "" ? "." : text, (letter) => (/\d/.test(letter) ? charactersPerDigit : 1));
  const samples =
    characters.reduce((sum, count) => sum + count, 0) * Math.round((characterSeconds * sampleRate) / speed);
  return {
    samples,
    seconds: samples / sampleRate,
    *pieces() {
      const [begin, step] = [numberFrom(text), (0.85 + (numberFrom(voice) % 31) * 0.01) / 2];
      for (let from = 0; from < samples; from += pieceSamples) {
        const piece = new Int16Array(Math.min(pieceSamples, samples - from));
        for (let at = 0; at < piece.length; at++) piece[at] = sampleAt(begin + (from + at) * step);
        yield piece;
      }
    },
  };
}

/** Returns the sample at a position between two samples of the recording, which repeats without end. */
function sampleAt(place: number): number {
  const bytes = recording();
  const before = Math.floor(place);
  const [here = 128, next = 128] = [bytes[before % bytes.length], bytes[(before + 1) % bytes.length]];
  return (here + (next - here) * (place - before) - 128) * 256;
}

function numberFrom(text: string): number {
  return createHash("sha256").update(text).digest().readUInt16LE(0);
}

/** Yields samples in blocks of one size. The last block may be shorter. */
export function* inBlocks(pieces: Iterable<Int16Array>, size: number): Generator<Int16Array> {
  let rest = new Int16Array(0);
  for (const piece of pieces) {
    const samples = Int16Array.from([...rest, ...piece]);
    let at = 0;
    for (; at + size <= samples.length; at += size) yield samples.subarray(at, at + size);
    rest = samples.slice(at);
  }
  if (rest.length > 0) yield rest;
}
