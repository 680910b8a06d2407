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
import type { CallCost, HeldFees, Measure, RequestSize, UsageBound } from "./measure.ts";
import { boundOfHeld, boundOfText, boundWithinHold, maxOutput } from "./usage-bound.ts";

/** Limits of a call's cost, computed before it is sent. */
export interface Expectation {
  /** Amount of the hold. */
  readonly upperNanos: Nanos;
  /** Cost that is certain once the call is sent: the price per request and the estimated input. */
  readonly floorNanos: Nanos;
  readonly floorUnits: Units;
  /** Estimated tokens, counted against the API key's limit per minute. */
  readonly tokens: number;
  /** Output of a text stream that the hold covers; absent: all possible output. */
  readonly output?: HeldOutput | undefined;
  /** Upper bound of the usage that is billed from the vendor's report; absent if billing does not use a report. */
  readonly most?: UsageBound | undefined;
}

/** Output tokens of a text stream that money is held for: at first, in each further step, and at most. */
export interface HeldOutput {
  readonly first: number;
  readonly step: number;
  /** Infinity if the client set no limit. */
  readonly most: number;
}

/** Computes the limits of a call's cost. */
export function expectCost(
  {
    limits,
    unseen,
  }: Pick<CallDeps, "unseen"> & { readonly limits: Pick<CallDeps["limits"], "outputTokens" | "stepTokens"> },
  cost: CallCost,
  { model, multiplier }: Pick<ServingModel, "model" | "multiplier">,
): Expectation {
  if (cost.by === "job") return { upperNanos: cost.upperNanos, floorNanos: 0n, floorUnits: {}, tokens: 0 };
  if (cost.by === "measure") {
    const { measure } = cost;
    return { ...expectUnits(measure, model, multiplier), most: { ...boundOfHeld(measure.upper), ...measure.most } };
  }
  const { size } = cost;
  const whole = wholeOutput(size, model, limits.outputTokens);
  const step = limits.stepTokens * size.choices;
  if (size.paidOutputTokens !== undefined) {
    const output = cost.stream ? { first: whole, step, most: whole } : undefined;
    return { ...expectText(size, model, multiplier, whole), output, most: boundWithinHold(size, model) };
  }
  const most = boundOfText(size, model);
  if (!cost.stream) return { ...expectText(size, model, multiplier, whole), most };
  const hidden = cost.billsUnseen === true || unseen.get(model.name) === true;
  const first = hidden ? whole : Math.min(step, whole);
  const output = { first, step, most: maxOutput(size, model) };
  return { ...expectText(size, model, multiplier, first), output, most };
}

/** Computes the limits of a cost that does not depend on text alone. */
function expectUnits({ upper, floor }: Measure, model: CatalogModel, multiplier: number): Expectation {
  return {
    upperNanos: maxCostOf({ requests: 1, ...upper }, model.price, multiplier),
    floorNanos: costOf({ requests: 1, ...floor }, model.price, multiplier),
    floorUnits: { requests: 1, ...floor },
    tokens: Math.min(tokensIn(floor), maxReservedTokens),
  };
}

/** Maximum tokens reserved in an API key's minute. A client may send any number; this one stays exact in Redis. */
const maxReservedTokens = 1_000_000_000;

/**
 * Returns the output tokens that money is held for if the answer is not a stream, over all choices. For a model without
 * an output limit, `usual` tokens are assumed per choice.
 */
export function wholeOutput(size: RequestSize, model: CatalogModel, usual: number): number {
  const most = maxOutput(size, model);
  return Number.isFinite(most) ? most : usual * size.choices;
}

/**
 * Computes the limits of a text call's cost from the request and the catalogue, for the output that is held for at
 * first.
 */
export function expectText(
  size: RequestSize,
  model: CatalogModel,
  multiplier: number,
  outputTokens: number,
): Expectation {
  const estimatedInput = estimateTokens(size.textBytes) + size.mediaTokens;
  const floorUnits: Units = { inputTokens: estimatedInput, requests: 1 };
  // A limit that the client did not set does not count against its minute.
  const isLimitedByClient = size.maxOutputTokens !== undefined && size.paidOutputTokens === undefined;
  const bound = isLimitedByClient ? maxOutput(size, model) : 0;
  return {
    upperNanos: upperCost(size, model, multiplier, outputTokens),
    floorNanos: costOf(floorUnits, model.price, multiplier),
    floorUnits,
    tokens: Math.min(estimatedInput + bound, maxReservedTokens),
  };
}

/** Bytes of a token, on average, in text that no tokenizer looked at. */
const bytesPerToken = 4;

/** Tokens in so many bytes of text, roughly. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/**
 * Returns the maximum cost of a request with this much output. A token stands for at least one byte of text in every
 * tokenizer, so the input's bytes limit its tokens. All tokens are priced as the most expensive unit that the vendor
 * may report.
 */
export function upperCost(size: RequestSize, model: CatalogModel, multiplier: number, outputTokens: number): Nanos {
  const { units = {}, inputTokens = 0, price = model.price }: Partial<HeldFees> = size.fees ?? {};
  const { textBytes, addedBytes = 0, mediaTokens } = size;
  const tokens = { input: textBytes + addedBytes + mediaTokens + inputTokens, output: outputTokens };
  let most = 0n;
  for (const each of pricesUpTo(price, tokens.input)) {
    const cost = costOf({ ...costliestTokens(tokens, each), ...units, requests: 1 }, each, multiplier);
    if (cost > most) most = cost;
  }
  return most;
}

/**
 * Minimum output tokens to which a call is lowered: about two hundred words. With less, most answers would end before
 * they are useful, at the client's cost.
 */
const minPaidOutput = 256;

/**
 * Returns the maximum output of each answer that an amount covers, at most the default limit. Undefined if that is
 * below the minimum, or if the client set a limit.
 */
export function paidOutput(
  { limits }: { readonly limits: Pick<CallDeps["limits"], "outputTokens"> },
  cost: CallCost,
  { model, multiplier }: Pick<ServingModel, "model" | "multiplier">,
  nanos: Nanos,
): number | undefined {
  if (cost.by !== "text") return undefined;
  const { size } = cost;
  if (size.maxOutputTokens !== undefined && size.paidOutputTokens === undefined) return undefined;
  const covers = (tokens: number): boolean => upperCost(size, model, multiplier, tokens * size.choices) <= nanos;
  let [covered, above] = [0, Math.floor(wholeOutput(size, model, limits.outputTokens) / size.choices) + 1];
  while (above - covered > 1) {
    const middle = Math.floor((covered + above) / 2);
    if (covers(middle)) covered = middle;
    else above = middle;
  }
  return covered >= minPaidOutput ? covered : undefined;
}

/** Returns tokens of input and output as the most expensive units, because a vendor may report them as any unit. */
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

/** The most expensive token units, computed once for each price of a configuration. */
const costliestUnits = new WeakMap<Price, { readonly input: UnitName; readonly output: UnitName }>();

function costliestUnit(units: readonly [UnitName, ...UnitName[]], price: Price): UnitName {
  let [most] = units;
  for (const unit of units) if ((price.get(unit) ?? 0n) > (price.get(most) ?? 0n)) most = unit;
  return most;
}
