import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { once } from "@modelgate/platform";

/** Samples a second of all speech: 16 bit, mono. */
export const sampleRate = 24_000;

/** Length of a character at speed 1; a digit, which is a word, takes that of several. */
const characterSeconds = 0.06;
const charactersPerDigit = 5;
/** Samples of one piece. */
const pieceSamples = sampleRate / 5;

/** A spoken sentence: WAV of 8 bit, mono, at half the sample rate. */
const recording = once((): Buffer => readFileSync(new URL("./voice.wav", import.meta.url)).subarray(44));

/** Speech, whose length is known before its samples are made. */
export interface Speech {
  readonly samples: number;
  readonly seconds: number;
  pieces(): Iterable<Int16Array>;
}

/**
 * Speaks for as long as a text takes, in the words of the recording: a voice has its pitch, and a text its beginning in
 * the recording. The same text, voice and speed sound the same. Speed 1 is usual.
 */
export function speak(text: string, { voice, speed }: { readonly voice: string; readonly speed: number }): Speech {
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

/** Returns the recording's sample at a place, between two of its own; the recording is repeated without end. */
function sampleAt(place: number): number {
  const bytes = recording();
  const before = Math.floor(place);
  const [here = 128, next = 128] = [bytes[before % bytes.length], bytes[(before + 1) % bytes.length]];
  return (here + (next - here) * (place - before) - 128) * 256;
}

function numberFrom(text: string): number {
  return createHash("sha256").update(text).digest().readUInt16LE(0);
}

/** Returns samples in blocks of one size, as codecs take them; the last block is as long as the rest. */
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
