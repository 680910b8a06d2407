import type { Units } from "@modelgate/contracts";
import { asRecords, isRecord } from "@modelgate/formats/json";

export function parseCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : undefined;
}

/** Returns the number of input tokens written to any cache. */
export function cacheWritesIn({ cacheWriteTokens, cacheWrite1hTokens }: Units): number | undefined {
  return cacheWrite1hTokens === undefined ? cacheWriteTokens : (cacheWriteTokens ?? 0) + cacheWrite1hTokens;
}

/** Returns the units without those that are zero. Input and output tokens remain. */
export function withoutZeroUnits(units: Units): Units {
  const remaining: Units = {};
  for (const name of ["inputTokens", "outputTokens"] as const) remaining[name] = units[name] ?? 0;
  for (const name of optionalUnits) if ((units[name] ?? 0) > 0) remaining[name] = units[name] ?? 0;
  return remaining;
}

/** Names of the members in a usage report of Google. */
export interface GoogleUsageForm {
  readonly totals: Readonly<Record<"input" | "tools" | "cached" | "output" | "reasoning", string>>;
  readonly lists: Readonly<Record<"input" | "cached" | "output", string>>;
  readonly count: string;
  readonly names: Readonly<Record<"text" | "audio" | "image", string>>;
}

/** Converts Google's usage report to units. Google does not include reasoning in the output tokens. */
export function googleUsage(usage: unknown, { totals, lists, count, names }: GoogleUsageForm): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const [input, output] = [parseCount(usage[totals.input]), parseCount(usage[totals.output])];
  const [cached = 0, tools = 0, reasoning = 0] = [totals.cached, totals.tools, totals.reasoning].map((name) =>
    parseCount(usage[name]),
  );
  if (input === undefined && output === undefined && reasoning === 0) return undefined;
  const tokensOf = (list: keyof typeof lists, modality: "audio" | "image"): number =>
    asRecords(usage[lists[list]])
      .filter((entry) => entry["modality"] === names[modality])
      .reduce((sum, entry) => sum + (parseCount(entry[count]) ?? 0), 0);
  const inputAudioTokens = Math.max(0, tokensOf("input", "audio") - tokensOf("cached", "audio"));
  const inputImageTokens = Math.max(0, tokensOf("input", "image") - tokensOf("cached", "image"));
  const [outputAudioTokens, outputImageTokens] = [tokensOf("output", "audio"), tokensOf("output", "image")];
  return withoutZeroUnits({
    inputTokens: Math.max(0, (input ?? 0) + tools - cached - inputAudioTokens - inputImageTokens),
    cachedInputTokens: cached,
    outputTokens: Math.max(0, (output ?? 0) - outputAudioTokens - outputImageTokens) + reasoning,
    reasoningTokens: reasoning,
    inputAudioTokens,
    outputAudioTokens,
    inputImageTokens,
    outputImageTokens,
  });
}

/** Renders a list of tokens by modality. */
export function tokensByModality({ count, names }: GoogleUsageForm, all: number, audio = 0, image = 0) {
  return [
    { modality: names.text, [count]: all - audio - image },
    ...(audio > 0 ? [{ modality: names.audio, [count]: audio }] : []),
    ...(image > 0 ? [{ modality: names.image, [count]: image }] : []),
  ];
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
