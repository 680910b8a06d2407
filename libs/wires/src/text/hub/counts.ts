import type { Units } from "@modelgate/contracts";
import { asRecords } from "../../json/fields.ts";

export function parseCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : undefined;
}

/** Returns all input tokens written to a cache, of any lifetime; undefined if none is reported. */
export function cacheWritesIn({ cacheWriteTokens, cacheWrite1hTokens }: Units): number | undefined {
  return cacheWrite1hTokens === undefined ? cacheWriteTokens : (cacheWriteTokens ?? 0) + cacheWrite1hTokens;
}

/** Returns the units without zero counts; counts of input and output stay. */
export function withoutZeroUnits(units: Units): Units {
  const remaining: Units = {};
  for (const name of ["inputTokens", "outputTokens"] as const) remaining[name] = units[name] ?? 0;
  for (const name of optionalUnits) if ((units[name] ?? 0) > 0) remaining[name] = units[name] ?? 0;
  return remaining;
}

/** Tokens in a usage of Google, and the parts of them that are audio or images. */
export interface ReportedTokens {
  readonly input: number;
  readonly cached: number;
  /** Output without reasoning. */
  readonly output: number;
  readonly reasoning: number;
  count(part: "input" | "cached" | "output", modality: "audio" | "image"): number;
}

/** Sums the tokens of one modality in a list of Google's usage reports; `member` has an entry's tokens. */
export function tokensOfModality(entries: unknown, modality: string, member: string): number {
  return asRecords(entries)
    .filter((entry) => entry["modality"] === modality)
    .reduce((sum, entry) => sum + (parseCount(entry[member]) ?? 0), 0);
}

/** Converts reported tokens to disjoint units. Units include reasoning in the output. */
export function unitsByModality({ input, cached, output, reasoning, count }: ReportedTokens): Units {
  const inputAudioTokens = Math.max(0, count("input", "audio") - count("cached", "audio"));
  const inputImageTokens = Math.max(0, count("input", "image") - count("cached", "image"));
  const [outputAudioTokens, outputImageTokens] = [count("output", "audio"), count("output", "image")];
  return withoutZeroUnits({
    inputTokens: Math.max(0, input - cached - inputAudioTokens - inputImageTokens),
    cachedInputTokens: cached,
    outputTokens: Math.max(0, output - outputAudioTokens - outputImageTokens) + reasoning,
    reasoningTokens: reasoning,
    inputAudioTokens,
    outputAudioTokens,
    inputImageTokens,
    outputImageTokens,
  });
}

const optionalUnits = [
  "cachedInputTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "reasoningTokens",
  "inputAudioTokens",
  "outputAudioTokens",
  "inputImageTokens",
  "outputImageTokens",
] as const satisfies readonly (keyof Units)[];
