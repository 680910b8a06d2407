import type { Units } from "@modelgate/contracts";

/** A vendor's count: a whole number from 0, anything else is undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : undefined;
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
  "reasoningTokens",
  "inputAudioTokens",
  "outputAudioTokens",
  "inputImageTokens",
  "outputImageTokens",
] as const satisfies readonly (keyof Units)[];
