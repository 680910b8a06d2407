import type { Units } from "@modelgate/contracts";

/** Returns a vendor's count if it is a whole number of at least 0, else undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : undefined;
}

/** Returns all input tokens written to a cache, of any lifetime; undefined if none is reported. */
export function cacheWritesIn({ cacheWriteTokens, cacheWrite1hTokens }: Units): number | undefined {
  return cacheWrite1hTokens === undefined ? cacheWriteTokens : (cacheWriteTokens ?? 0) + cacheWrite1hTokens;
}

/** Returns the units without zero counts; counts of input and output stay. */
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
