import {
  inputTokenUnits,
  totalInputTokens,
  outputTokenUnits,
  totalOutputTokens,
  toolUnits,
  unitNames,
  type UnitName,
  type Units,
} from "@modelgate/contracts";
import type { CatalogModel } from "@modelgate/catalog";
import type { RequestSize, UsageBound } from "./measure.ts";

/** Maximum input tokens outside the body: a vendor's instructions, and markup of messages and tools. */
const vendorInputTokens = 65_536;
/** Largest context of any vendor, in tokens: the maximum that tools or stored content may add to the input. */
const widestContextTokens = 2_097_152;
/** Maximum ratio between a vendor's and the gateway's number of tokens for an image. */
const maxMediaFactor = 20;
/** Maximum output tokens per answer without an output limit. No model writes more. */
const unboundedOutputTokens = 262_144;
/** Maximum reasoning tokens per answer of vendors that do not apply the output limit to them. */
const maxExtraReasoningTokens = 81_920;
/**
 * Margin by which the output may exceed the client's limit. A vendor may count an end token in addition, or accept no
 * limit below 16.
 */
const outputMargin = { share: 0.02, tokens: 16 } as const;
const maxToolCalls = 512;
/** Minimum bytes per search unit of a reranker. A unit has up to a hundred documents of five hundred tokens. */
const minBytesPerSearchUnit = 400;
/** Requests or search units that are always accepted. Vendors report one for most calls. */
const minRequestBound = 16;
/** Margin by which a report may exceed the held usage. */
const heldUsageMargin = { times: 4, tokens: 1_024 } as const;
/** Margin by which reported seconds may exceed the held ones, because a vendor may round up and add silence. */
const secondsMargin = { share: 0.05, seconds: 2 } as const;

/** Returns the maximum output tokens of all answers together; Infinity without a limit. */
export function maxOutput({ maxOutputTokens = Infinity, choices }: RequestSize, model: CatalogModel): number {
  return Math.min(maxOutputTokens, (model.maxOutputTokens ?? Infinity) * choices);
}

/** Returns the maximum usage to bill for a text call. */
export function boundOfText(size: RequestSize, model: CatalogModel): UsageBound {
  const { textBytes, mediaTokens, choices, fees, readsHiddenInput = false, isHoldOnlyBound = false } = size;
  const max = maxOutput(isHoldOnlyBound ? { ...size, maxOutputTokens: undefined } : size, model);
  const output = Number.isFinite(max) ? max : unboundedOutputTokens * choices;
  const reasoningPerAnswer = Math.min(maxExtraReasoningTokens, model.maxOutputTokens ?? Infinity);
  const inBody = textBytes + mediaTokens * maxMediaFactor + (fees?.inputTokens ?? 0) + vendorInputTokens;
  return {
    inputTokens: readsHiddenInput ? inBody + widestContextTokens : inBody,
    outputTokens: Math.ceil(output * (1 + outputMargin.share)) + outputMargin.tokens * choices,
    extraTokens: reasoningPerAnswer * choices,
    images: choices,
    seconds: 0,
    characters: 0,
    requests: minRequestBound + Math.ceil(textBytes / minBytesPerSearchUnit),
    others: maxToolCalls,
  };
}

/**
 * Returns the maximum usage to bill for a call whose output limit was lowered to the caller's money: the usage for
 * which money is held.
 */
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

/** Maximum tokens to bill for one run of another model in a vendor's report. */
export const boundOfIteration: UsageBound = {
  inputTokens: widestContextTokens,
  outputTokens: unboundedOutputTokens,
  extraTokens: 0,
  images: 0,
  seconds: 0,
  characters: 0,
  requests: 0,
  others: 0,
};

/** Returns the maximum usage to bill for a call with a hold for `upper`. */
export function boundOfHeld(upper: Units): UsageBound {
  const { images = 0, seconds = 0, characters = 0, requests = 0 } = upper;
  return {
    inputTokens: totalInputTokens(upper) * heldUsageMargin.times + vendorInputTokens,
    outputTokens: totalOutputTokens(upper) * heldUsageMargin.times + heldUsageMargin.tokens,
    extraTokens: 0,
    images,
    seconds: seconds === 0 ? 0 : Math.ceil(seconds * (1 + secondsMargin.share)) + secondsMargin.seconds,
    characters,
    requests: Math.max(minRequestBound, requests * heldUsageMargin.times),
    others: maxToolCalls,
  };
}

/** Returns the maximum images to bill. A model that writes text and images may create more than requested. */
export function maxBilledImages(requested: number): number {
  return requested * 2 + 2;
}

/** Units to bill. */
export interface CappedUnits {
  readonly units: Units;
  /** Units that exceeded the maximum or were invalid. */
  readonly capped: readonly UnitName[];
}

/** Limits units to a maximum. Invalid amounts become 0, and units except seconds are rounded down. */
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
  const result = { units, capped };
  if (bound !== undefined) capAll(result, bound);
  return result;
}

function capAll(result: UnitsBeingCapped, bound: UsageBound): void {
  const { units } = result;
  if (totalInputTokens(units) > bound.inputTokens) capTogether(result, inputTokenUnits, bound.inputTokens);
  const { outputAudioTokens = 0, outputImageTokens = 0, reasoningTokens = 0 } = units;
  const extra = Math.min(outputAudioTokens + outputImageTokens + reasoningTokens, bound.extraTokens);
  if (totalOutputTokens(units) > bound.outputTokens + extra)
    capTogether(result, outputTokenUnits, bound.outputTokens + extra);
  if (reasoningTokens > (units.outputTokens ?? 0)) units.reasoningTokens = units.outputTokens ?? 0;
  for (const name of measuredUnits) if ((units[name] ?? 0) > bound[name]) capOne(result, name, bound[name]);
  for (const name of toolUnits) if ((units[name] ?? 0) > bound.others) capOne(result, name, bound.others);
}

interface UnitsBeingCapped {
  readonly units: Units;
  readonly capped: UnitName[];
}

/** Units other than tokens, each with its own limit. */
const measuredUnits = ["images", "seconds", "characters", "requests"] as const satisfies readonly UnitName[];

/** Limits units that share one maximum. Units at the beginning of `names` use it first. */
function capTogether(result: UnitsBeingCapped, names: readonly UnitName[], max: number): void {
  let remaining = max;
  for (const name of names) {
    capOne(result, name, remaining);
    remaining -= result.units[name] ?? 0;
  }
}

function capOne({ units, capped }: UnitsBeingCapped, name: UnitName, max: number): void {
  if ((units[name] ?? 0) <= max) return;
  units[name] = max;
  if (!capped.includes(name)) capped.push(name);
}
