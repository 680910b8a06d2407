import {
  costOf,
  inputTokenUnits,
  maxCostOf,
  outputTokenUnits,
  pricesUpTo,
  tokensIn,
  type Nanos,
  type Price,
  type UnitName,
  type Units,
} from "@modelgate/contracts";
import type { CatalogModel } from "@modelgate/catalog";
import type { ServingModel } from "../call.ts";
import type { CallDeps } from "../deps.ts";
import type { CallCost, MaxFees, Measure, RequestSize, UsageBound } from "./measure.ts";
import { boundOfHeld, boundOfText, boundWithinHold, maxOutput } from "./usage-bound.ts";

/** Limits of a call's cost, computed before it is sent. */
export interface Expectation {
  readonly upperNanos: Nanos;
  /** Cost that is certain once the call is sent. */
  readonly floorNanos: Nanos;
  readonly floorUnits: Units;
  /** Estimated tokens, for the API key's limit per minute. */
  readonly tokens: number;
  /** Output of a text stream that the hold covers. Absent if it covers all output. */
  readonly output?: HeldOutput | undefined;
  /** Maximum usage to bill. Absent if the bill does not depend on the vendor's report. */
  readonly bound?: UsageBound | undefined;
}

/** Output tokens of a text stream for which money is held: at first, per extension, and at most. */
export interface HeldOutput {
  readonly first: number;
  readonly step: number;
  /** Infinity if there is no output limit. */
  readonly max: number;
}

export function expectCost(
  {
    limits,
    modelsWithHiddenOutput,
  }: Pick<CallDeps, "modelsWithHiddenOutput"> & {
    readonly limits: Pick<CallDeps["limits"], "outputTokens" | "stepTokens">;
  },
  cost: CallCost,
  { model, multiplier }: Pick<ServingModel, "model" | "multiplier">,
): Expectation {
  if (cost.by === "job") return { upperNanos: cost.upperNanos, floorNanos: 0n, floorUnits: {}, tokens: 0 };
  if (cost.by === "measure") {
    const { measure } = cost;
    return { ...expectUnits(measure, model, multiplier), bound: { ...boundOfHeld(measure.upper), ...measure.bound } };
  }
  const { size } = cost;
  const maxOutputTokens = maxHeldOutput(size, model, limits.outputTokens);
  const step = limits.stepTokens * size.choices;
  if (size.affordableOutputTokens !== undefined) {
    const output = cost.stream ? { first: maxOutputTokens, step, max: maxOutputTokens } : undefined;
    return { ...expectText(size, model, multiplier, maxOutputTokens), output, bound: boundWithinHold(size, model) };
  }
  const max = boundOfText(size, model);
  if (!cost.stream) return { ...expectText(size, model, multiplier, maxOutputTokens), bound: max };
  const hasHiddenOutput = cost.billsHiddenOutput === true || modelsWithHiddenOutput.get(model.name) === true;
  const first = hasHiddenOutput ? maxOutputTokens : Math.min(step, maxOutputTokens);
  const output = { first, step, max: maxOutput(size, model) };
  return { ...expectText(size, model, multiplier, first), output, bound: max };
}

function expectUnits({ upper, floor }: Measure, model: CatalogModel, multiplier: number): Expectation {
  return {
    upperNanos: maxCostOf({ requests: 1, ...upper }, model.price, multiplier),
    floorNanos: costOf({ requests: 1, ...floor }, model.price, multiplier),
    floorUnits: { requests: 1, ...floor },
    tokens: Math.min(tokensIn(floor), maxReservedTokens),
  };
}

/**
 * Maximum tokens that one call reserves in its API key's limit per minute. Lua scripts in Redis count exactly only up
 * to a limit.
 */
const maxReservedTokens = 1_000_000_000;

/**
 * Returns the output tokens of all choices for which money is held if the answer is not a stream. Without an output
 * limit, each choice has `usual` tokens.
 */
export function maxHeldOutput(size: RequestSize, model: CatalogModel, usual: number): number {
  const max = maxOutput(size, model);
  return Number.isFinite(max) ? max : usual * size.choices;
}

/** Computes the limits of a text call's cost, with a hold for `outputTokens`. */
export function expectText(
  size: RequestSize,
  model: CatalogModel,
  multiplier: number,
  outputTokens: number,
): Expectation {
  const estimatedInput = estimateTokens(size.textBytes) + size.mediaTokens;
  const floorUnits: Units = { inputTokens: estimatedInput, requests: 1 };
  // Only an output limit of the client reserves tokens per minute.
  const isLimitedByClient = size.maxOutputTokens !== undefined && size.affordableOutputTokens === undefined;
  const bound = isLimitedByClient ? maxOutput(size, model) : 0;
  return {
    upperNanos: maxTextCost(size, model, multiplier, outputTokens),
    floorNanos: costOf(floorUnits, model.price, multiplier),
    floorUnits,
    tokens: Math.min(estimatedInput + bound, maxReservedTokens),
  };
}

/** Average bytes per token of text. */
const bytesPerToken = 4;

/** Estimates the tokens in text of this many bytes. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** Output of one call of an advisor, reasoning included. */
const adviceTokens = 2_048;

/**
 * Returns the maximum cost of a request with this much output. Each token has at least one byte, and is priced as the
 * most expensive unit.
 */
export function maxTextCost(size: RequestSize, model: CatalogModel, multiplier: number, outputTokens: number): Nanos {
  const { units = {}, inputTokens = 0, rereads = 0, price = model.price }: Partial<MaxFees> = size.fees ?? {};
  const { textBytes, addedBytes = 0, mediaTokens } = size;
  const readAgain = rereads * (estimateTokens(textBytes) + mediaTokens);
  const tokens = {
    input: textBytes + addedBytes + mediaTokens + inputTokens + readAgain,
    output: outputTokens + rereads * adviceTokens,
  };
  let max = 0n;
  for (const each of pricesUpTo(price, tokens.input)) {
    const cost = costOf({ ...costliestTokens(tokens, each), ...units, requests: 1 }, each, multiplier);
    if (cost > max) max = cost;
  }
  return max;
}

/** Minimum output limit that the gateway sets: about two hundred words. With less, most answers would be useless. */
const minAffordableOutput = 256;

/**
 * Returns the output tokens per answer that an amount covers, at most the default limit. Undefined if that is below the
 * minimum, if the client set a limit, or if the call is not billed by text.
 */
export function affordableOutput(
  { limits }: { readonly limits: Pick<CallDeps["limits"], "outputTokens"> },
  cost: CallCost,
  { model, multiplier }: Pick<ServingModel, "model" | "multiplier">,
  nanos: Nanos,
): number | undefined {
  if (cost.by !== "text") return undefined;
  const { size } = cost;
  if (size.maxOutputTokens !== undefined && size.affordableOutputTokens === undefined) return undefined;
  const covers = (tokens: number): boolean => maxTextCost(size, model, multiplier, tokens * size.choices) <= nanos;
  let [covered, above] = [0, Math.floor(maxHeldOutput(size, model, limits.outputTokens) / size.choices) + 1];
  while (above - covered > 1) {
    const middle = Math.floor((covered + above) / 2);
    if (covers(middle)) covered = middle;
    else above = middle;
  }
  return covered >= minAffordableOutput ? covered : undefined;
}

/** Returns tokens as units of the most expensive kind, because a vendor may report any kind. */
export function costliestTokens(
  { input, output }: { readonly input: number; readonly output: number },
  price: Price,
): Units {
  let units = costliestUnits.get(price);
  if (units === undefined) {
    units = { input: costliestUnit(inputTokenUnits, price), output: costliestUnit(outputTokenUnits, price) };
    costliestUnits.set(price, units);
  }
  return { [units.input]: input, [units.output]: output };
}

const costliestUnits = new WeakMap<Price, { readonly input: UnitName; readonly output: UnitName }>();

function costliestUnit(units: readonly [UnitName, ...UnitName[]], price: Price): UnitName {
  let [costliest] = units;
  for (const unit of units) if ((price.get(unit) ?? 0n) > (price.get(costliest) ?? 0n)) costliest = unit;
  return costliest;
}
