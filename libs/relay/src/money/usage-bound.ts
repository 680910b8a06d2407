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
import type { RequestSize, UsageBound } from "./measure.ts";

/** Input tokens that no body shows: a vendor's instructions, and the model's markup of messages and tools. */
const unseenInputTokens = 65_536;
/** Largest context that a vendor offers, in tokens: the maximum that its tools or stored content may add. */
const widestContextTokens = 2_097_152;
/** Maximum ratio between the tokens that the most expensive vendor and the usual one count for the same image. */
const maxMediaFactor = 20;
/**
 * Maximum output tokens of one answer if neither the client nor the catalogue limits it: more than any model writes.
 */
const unboundedOutputTokens = 262_144;
/** Maximum reasoning tokens of one answer with vendors that do not count them against the output limit. */
const maxExtraThoughtTokens = 81_920;
/** Margin by which a vendor may exceed an output limit: a last token, an end mark, or its minimum limit of 16. */
const overshoot = { share: 0.02, tokens: 16 } as const;
/** Maximum calls of one vendor-side tool in one answer. */
const maxToolCalls = 512;
/** Minimum bytes per search unit of a reranker: a unit has at most a hundred documents of five hundred tokens. */
const minBytesPerSearchUnit = 400;
const usualRequests = 16;
/** Margin of a report beyond the hold if the cost does not depend on text alone. */
const beyondHeld = { times: 4, tokens: 1_024 } as const;
/** Margin of reported seconds: a vendor may round up and add silence. */
const secondsBeyond = { share: 0.05, seconds: 2 } as const;

/**
 * Returns the maximum output tokens of all answers of a call together, by the limits of the client and the catalogue;
 * Infinity if neither sets one.
 */
export function maxOutput({ maxOutputTokens = Infinity, choices }: RequestSize, model: CatalogModel): number {
  return Math.min(maxOutputTokens, (model.maxOutputTokens ?? Infinity) * choices);
}

/** The bound of a call that is paid for by its text. */
export function boundOfText(size: RequestSize, model: CatalogModel): UsageBound {
  const { textBytes, mediaTokens, choices, fees, readsBeyond = false, boundIsOurs = false } = size;
  const most = maxOutput(boundIsOurs ? { ...size, maxOutputTokens: undefined } : size, model);
  const output = Number.isFinite(most) ? most : unboundedOutputTokens * choices;
  const perAnswer = Math.min(maxExtraThoughtTokens, model.maxOutputTokens ?? Infinity);
  const inBody = textBytes + mediaTokens * maxMediaFactor + (fees?.inputTokens ?? 0) + unseenInputTokens;
  return {
    inputTokens: readsBeyond ? inBody + widestContextTokens : inBody,
    outputTokens: Math.ceil(output * (1 + overshoot.share)) + overshoot.tokens * choices,
    extraTokens: perAnswer * choices,
    images: choices,
    seconds: 0,
    characters: 0,
    requests: usualRequests + Math.ceil(textBytes / minBytesPerSearchUnit),
    others: maxToolCalls,
  };
}

/** Returns the maximum usage of a call whose output was lowered to what can be paid for: the held amount. */
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

/** Returns the maximum usage of a call that `upper` is held for. */
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

/** Returns the maximum images billed for a requested number: a model that draws while it writes may make more. */
export function maxBilledImages(requested: number): number {
  return requested * 2 + 2;
}

/** Units as they are billed. */
export interface CappedUnits {
  readonly units: Units;
  /** Units that exceeded the maximum, or were not valid amounts. */
  readonly capped: readonly UnitName[];
}

/**
 * Limits units to a maximum. Invalid amounts (negative, not finite) become 0, and fractions of countable units are cut
 * off.
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

/** Units that are being limited, and the names of those that were reduced. */
interface Cutting {
  readonly units: Units;
  readonly capped: UnitName[];
}

/** Units other than tokens that have separate limits. */
const measuredUnits = ["images", "seconds", "characters", "requests"] as const satisfies readonly UnitName[];

/** Reduces units that share one limit: the first of them may use all of it. */
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
