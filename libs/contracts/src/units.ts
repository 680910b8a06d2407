import { Type, type Static } from "typebox";

const optionalCount = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

/**
 * Usage of a call, in the units that have prices. Priced units are disjoint: `inputTokens` excludes cached,
 * cache-write, audio and image tokens, and `outputTokens` excludes audio and image tokens. `reasoningTokens` are part
 * of `outputTokens`, without a separate price. An absent unit is 0.
 */
export const Units = Type.Object(
  {
    inputTokens: optionalCount("input tokens, without cached, cache-write, audio and image tokens"),
    cachedInputTokens: optionalCount("input tokens read from a prompt cache"),
    cacheWriteTokens: optionalCount("input tokens written to a prompt cache"),
    cacheWrite1hTokens: optionalCount("input tokens written to a prompt cache that keeps them for an hour"),
    outputTokens: optionalCount("output tokens including reasoning, without audio and image tokens"),
    reasoningTokens: optionalCount("the part of outputTokens spent on reasoning; not priced separately"),
    inputAudioTokens: optionalCount("audio tokens in"),
    outputAudioTokens: optionalCount("audio tokens out"),
    inputImageTokens: optionalCount("image tokens in, where the vendor counts them separately"),
    outputImageTokens: optionalCount("image tokens out, where the vendor counts them separately"),
    images: optionalCount("images"),
    seconds: Type.Optional(
      Type.Number({ minimum: 0, description: "seconds of video, of transcribed audio or of a session" }),
    ),
    characters: optionalCount("characters of speech input"),
    requests: optionalCount("calls, for a price per request; search units of a ranking"),
    webSearches: optionalCount("searches on the web by the vendor"),
    codeInterpreters: optionalCount("sessions of the vendor's code interpreter"),
    fileSearches: optionalCount("searches in files by the vendor"),
    imageGenerations: optionalCount("images that a vendor-side tool made"),
  },
  { $id: "Units", additionalProperties: false },
);
export type Units = Static<typeof Units>;
export type UnitName = keyof Units;

export function addUnits(left: Units, right: Units): Units {
  const sum: Units = { ...left };
  for (const [name, amount] of unitEntries(right)) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}

/** Returns the units that are present, in the order of `unitNames`. */
export function unitEntries(units: Units): readonly (readonly [UnitName, number])[] {
  const entries: (readonly [UnitName, number])[] = [];
  for (const name of unitNames) {
    const amount = units[name];
    if (amount !== undefined) entries.push([name, amount]);
  }
  return entries;
}

/** Returns the number of all tokens of a call, to which limits of tokens per minute apply. */
export function tokensIn(units: Units): number {
  return totalInputTokens(units) + totalOutputTokens(units);
}

/** Returns the number of all input tokens, including cached, audio and image tokens. */
export function totalInputTokens(units: Units): number {
  return sumOfUnits(units, inputTokenUnits);
}

/** Returns the number of all output tokens, including reasoning, audio and image tokens. */
export function totalOutputTokens(units: Units): number {
  return sumOfUnits(units, outputTokenUnits);
}

function sumOfUnits(units: Units, names: readonly UnitName[]): number {
  let sum = 0;
  for (const name of names) sum += units[name] ?? 0;
  return sum;
}

/** Disjoint units of input tokens. */
export const inputTokenUnits = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "inputAudioTokens",
  "inputImageTokens",
] as const satisfies readonly UnitName[];

/** Disjoint units of output tokens. Reasoning is part of `outputTokens`. */
export const outputTokenUnits = [
  "outputTokens",
  "outputAudioTokens",
  "outputImageTokens",
] as const satisfies readonly UnitName[];

/** Units that count calls of vendor-side tools, whose prices are the same at every service tier. */
export const toolUnits = [
  "webSearches",
  "codeInterpreters",
  "fileSearches",
  "imageGenerations",
] as const satisfies readonly UnitName[];
export type ToolUnit = (typeof toolUnits)[number];

/** Names of all units, in the order of the usage event. */
export const unitNames = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "outputTokens",
  "reasoningTokens",
  "inputAudioTokens",
  "outputAudioTokens",
  "inputImageTokens",
  "outputImageTokens",
  "images",
  "seconds",
  "characters",
  "requests",
  ...toolUnits,
] as const satisfies readonly UnitName[];
