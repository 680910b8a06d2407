import type { Units } from "@modelgate/contracts";

/** A vendor's count: a whole number from 0, anything else is undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : undefined;
}

/** All input tokens written to a cache, whatever their lifetime; undefined where none is reported. */
export function cacheWritesIn({ cacheWriteTokens, cacheWrite1hTokens }: Units): number | undefined {
  return cacheWrite1hTokens === undefined ? cacheWriteTokens : (cacheWriteTokens ?? 0) + cacheWrite1hTokens;
}

/** Units without those that are zero, but for input and output themselves. */
export function unitsOf(units: Units): Units {
  const kept: Units = {};
  for (const name of ["inputTokens", "outputTokens"] as const) kept[name] = units[name] ?? 0;
  for (const name of optional) if ((units[name] ?? 0) > 0) kept[name] = units[name] ?? 0;
  return kept;
}

const optional = [
  "cachedInputTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "reasoningTokens",
  "inputAudioTokens",
  "outputAudioTokens",
  "inputImageTokens",
  "outputImageTokens",
] as const satisfies readonly (keyof Units)[];
