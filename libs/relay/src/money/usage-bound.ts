import {
  inputTokenUnits,
  inputTotal,
  outputTokenUnits,
  outputTotal,
  toolUnits,
  unitNames,
  type UnitName,
  type Units,
} from "@modelgate/contracts";
import type { CatalogModel } from "@modelgate/catalog";
import { maxOutput, type RequestSize, type UsageBound } from "./measure.ts";

/** Input that no body shows: a vendor's own instructions, and what a model puts around messages and tools. */
const unseenInputTokens = 65_536;
/** The widest context that any vendor sells: what its tools or its stores may bring in. */
const widestContextTokens = 2_097_152;
/** Media are estimated by the usual vendor; the most expensive one counts this multiple for the same picture. */
const maxMediaFactor = 20;
/** Output of one answer where neither the client nor the catalogue bounds it: more than any model writes. */
const unboundedOutputTokens = 262_144;
/** Thoughts of one answer with the vendors that do not count them against the bound. */
const maxExtraThoughtTokens = 81_920;
/** Margin of a vendor beyond a bound of tokens: a last token, an end mark, its own least bound of 16. */
const overshoot = { share: 0.02, tokens: 16 } as const;
/** Calls of one tool of a vendor's in one answer. */
const maxToolCalls = 512;
/** A reranker's search unit is a hundred documents of five hundred tokens at most: so many bytes are a unit at least. */
const minBytesPerSearchUnit = 400;
const usualRequests = 16;
/** Margin of a report beyond the hold where something else than text decides the cost. */
const beyondHeld = { times: 4, tokens: 1_024 } as const;
/** A vendor may round seconds up, and count its own silence. */
const secondsBeyond = { share: 0.05, seconds: 2 } as const;

/** The bound of a call that is paid for by its text. */
export function boundOfText(size: RequestSize, model: CatalogModel): UsageBound {
  const { textBytes, mediaTokens, choices, fees, readsBeyond = false, boundIsOurs = false } = size;
  const most = maxOutput(boundIsOurs ? { ...size, maxOutputTokens: undefined } : size, model);
  const perAnswer = Math.min(maxExtraThoughtTokens, model.maxOutputTokens ?? Infinity);
  const inBody = textBytes + mediaTokens * maxMediaFactor + (fees?.inputTokens ?? 0) + unseenInputTokens;
  return {
    inputTokens: readsBeyond ? inBody + widestContextTokens : inBody,
    outputTokens: withOvershoot(Number.isFinite(most) ? most : unboundedOutputTokens * choices, choices),
    extraTokens: perAnswer * choices,
    images: choices,
    seconds: 0,
    characters: 0,
    requests: usualRequests + Math.ceil(textBytes / minBytesPerSearchUnit),
    others: maxToolCalls,
  };
}

/** Returns the bound of a call whose output was lowered to what can be paid for: what is held, so that it costs no more. */
export function boundWithinHold(size: RequestSize, model: CatalogModel): UsageBound {
  const { textBytes, addedBytes = 0, mediaTokens, fees } = size;
  const { images = 0, ...others } = fees?.units ?? {};
  return {
    inputTokens: textBytes + addedBytes + mediaTokens + (fees?.inputTokens ?? 0),
    outputTokens: maxOutput(size, model),
    extraTokens: 0,
    images,
    seconds: 0,
    characters: 0,
    requests: 1,
    others: Math.max(0, ...Object.values(others)),
  };
}

/** The bound of a call that is held for as `upper`. */
export function boundOfHeld(upper: Units): UsageBound {
  const { images = 0, seconds = 0, characters = 0, requests = 0 } = upper;
  return {
    inputTokens: inputTotal(upper) * beyondHeld.times + unseenInputTokens,
    outputTokens: outputTotal(upper) * beyondHeld.times + beyondHeld.tokens,
    extraTokens: 0,
    images,
    seconds: seconds === 0 ? 0 : Math.ceil(seconds * (1 + secondsBeyond.share)) + secondsBeyond.seconds,
    characters,
    requests: Math.max(usualRequests, requests * beyondHeld.times),
    others: maxToolCalls,
  };
}

/** Maximum images billed for a number requested: a model that draws while it writes may make more. */
export function maxBilledImages(requested: number): number {
  return requested * 2 + 2;
}

/** So many tokens, and what a vendor may be beyond them without being wrong. */
export function withOvershoot(tokens: number, choices: number): number {
  return Math.ceil(tokens * (1 + overshoot.share)) + overshoot.tokens * choices;
}

/** Units as they are billed. */
export interface CappedUnits {
  readonly units: Units;
  /** The units of which more was reported than the call can have used, or no amount at all. */
  readonly capped: readonly UnitName[];
}

/**
 * Units within a bound. What is no amount (negative, not finite) counts as none, and parts of what comes in whole pieces
 * are cut off.
 */
export function capUnits(reported: Units, bound: UsageBound | undefined): CappedUnits {
  const units: Units = {};
  const capped: UnitName[] = [];
  for (const name of unitNames) {
    const amount = reported[name];
    if (amount === undefined) continue;
    const isAmount = amount >= 0 && amount < Infinity;
    units[name] = !isAmount ? 0 : name === "seconds" ? amount : Math.trunc(amount);
    if (!isAmount) capped.push(name);
  }
  const cut = { units, capped };
  if (bound !== undefined) cutAll(cut, bound);
  return cut;
}

function cutAll(cut: Cutting, bound: UsageBound): void {
  const { units } = cut;
  if (inputTotal(units) > bound.inputTokens) cutTogether(cut, inputTokenUnits, bound.inputTokens);
  const { outputAudioTokens = 0, outputImageTokens = 0, reasoningTokens = 0 } = units;
  const extra = Math.min(outputAudioTokens + outputImageTokens + reasoningTokens, bound.extraTokens);
  if (outputTotal(units) > bound.outputTokens + extra) cutTogether(cut, outputTokenUnits, bound.outputTokens + extra);
  if (reasoningTokens > (units.outputTokens ?? 0)) units.reasoningTokens = units.outputTokens ?? 0;
  for (const name of measuredUnits) if ((units[name] ?? 0) > bound[name]) cutOne(cut, name, bound[name]);
  for (const name of toolUnits) if ((units[name] ?? 0) > bound.others) cutOne(cut, name, bound.others);
}

/** Units that are being cut, and the names of those that were. */
interface Cutting {
  readonly units: Units;
  readonly capped: UnitName[];
}

/** Units other than tokens that have a bound each. */
const measuredUnits = ["images", "seconds", "characters", "requests"] as const satisfies readonly UnitName[];

/** Cuts units that have one bound together: the first of them may use all of it. */
function cutTogether(cutting: Cutting, names: readonly UnitName[], max: number): void {
  let left = max;
  for (const name of names) {
    cutOne(cutting, name, left);
    left -= cutting.units[name] ?? 0;
  }
}

function cutOne({ units, capped }: Cutting, name: UnitName, max: number): void {
  if ((units[name] ?? 0) <= max) return;
  units[name] = max;
  if (!capped.includes(name)) capped.push(name);
}
