import { addUnits, costOf, Failure, toolUnits, type Price, type ToolUnit, type Units } from "@modelgate/contracts";
import type { Group } from "@modelgate/catalog";
import type {
  RequestedFees,
  RequestedTier,
  RequestedTool,
  ReportedExtraUsage,
  ReportedIteration,
} from "@modelgate/wires/text";
import type { MaxFees } from "./measure.ts";
import { boundOfIteration, capUnits } from "./usage-bound.ts";

/** Tools and service tiers of a call, and the prices and rules for them. */
export interface FeesOptions {
  /** Tools and service tiers that the client requests. */
  readonly requested: RequestedFees | undefined;
  /** The model's price at the default service tier. */
  readonly price: Price;
  /**
   * Rule for tools and more expensive tiers without a price. With "pass" they are sent, with "refuse" the request is
   * refused. With "drop" they were removed before, so one that is still in the request is refused.
   */
  readonly unpriced: Group["unpriced"];
  /** Tool calls for which money is held if the client sets no limit, and input tokens per tool call. */
  readonly limits: { readonly toolCalls: number; readonly toolTokens: number };
  /** Throws Failure if the caller may not use a model that a tool names. */
  readonly allow: (model: string) => void;
  /**
   * Returns the price of a model that may answer instead of the requested one; undefined if unknown. Throws Failure if
   * the caller may not use the model.
   */
  readonly fallbackPrice?: ((model: string) => Price | undefined) | undefined;
}

/** Tools and service tiers in the request of an attempt. */
export interface SentFees {
  readonly body: unknown;
  /** Tools and service tiers that the body requests, if they differ from the client's. */
  readonly requestedFees?: RequestedFees | undefined;
  /** Fields of the client that the body lacks. Their tools and tiers cost nothing. */
  readonly dropped?: readonly string[] | undefined;
  /** Limits the number of tool calls in a body. Absent if the wire has no such limit. */
  readonly capTools?: ((body: Buffer, max: number) => Buffer) | undefined;
  /** Returns the price of another model by its name at the vendor; undefined if unknown. */
  readonly priceOf?: ((upstreamModel: string) => Price | undefined) | undefined;
}

/** Bill of a call whose usage is known. */
export interface Bill {
  readonly units: Units;
  /** Price at the service tier that served the call. */
  readonly price: Price;
  /** Service tier that served the call, unless it is the default. */
  readonly serviceTier?: string | undefined;
  /** True if the tier may cost more and the price has no factor for it. */
  readonly isTierUnpriced: boolean;
  /** Vendor's model that answered, if the requested one declined. */
  readonly answeredBy?: string | undefined;
  /** Tokens of other models, which have other prices. */
  readonly otherModels?: readonly BilledModel[] | undefined;
}

/** Tokens that another model used for a call. */
export interface BilledModel {
  /** Vendor's name of the model. */
  readonly model: string;
  readonly units: Units;
  readonly price: Price;
}

interface AttemptFees {
  readonly priceOf?: SentFees["priceOf"];
  sentTier?: string | undefined;
  /** Tools that the vendor executes without reporting their calls. */
  unreported?: Units;
  /** Units that other requested tools make free. */
  freeUnits?: ReadonlySet<ToolUnit>;
  calls?: Map<ToolUnit, Set<string>>;
  counts?: Units | undefined;
  /** Tier of the answer. */
  tier?: Pick<RequestedTier, "name" | "alias"> | undefined;
  answeredBy?: string | undefined;
  iterations?: readonly ReportedIteration[] | undefined;
}

/** Tiers that vendors may select if a request names none. `fast` is not one of them: Anthropic's is only requested. */
const vendorChosenTiers: readonly Pick<RequestedTier, "name" | "alias">[] = [{ name: "priority" }, { name: "scale" }];
/** Tiers that cost no more than the default one. */
const tiersWithoutSurcharge: ReadonlySet<string> = new Set(["default", "flex", "batch"]);
/** Maximum calls of one tool in one answer for which money is held and that are billed. */
const maxCalls = 1_000;

/**
 * Charges of a text call other than tokens: vendor-side tools, and a price factor for the service tier. It checks the
 * requests, collects what answers report, and computes the bill.
 */
export class CallFees {
  readonly maxFees: MaxFees;
  readonly #options: FeesOptions;
  #attempt: AttemptFees = {};

  constructor(options: FeesOptions) {
    this.#options = options;
    const { requested, price } = options;
    const isUsual = requested === undefined && price.serviceTiers.size === 0;
    this.maxFees = isUsual ? { units: {}, inputTokens: 0, price } : maxFeesOf(options);
  }

  /**
   * Returns the exchange with a limit of tool calls, if its wire has one. Throws Failure (400) for a tool or tier
   * without a price, unless the group allows it.
   */
  checkExchange<Sent extends SentFees>(exchange: Sent): Sent {
    // The reports of the previous attempt do not apply to this one.
    const attempt: AttemptFees = { priceOf: exchange.priceOf };
    this.#attempt = attempt;
    const feesInRequest = exchange.requestedFees ?? feesWithout(this.#options.requested, exchange.dropped);
    if (feesInRequest === undefined) return exchange;
    for (const tool of feesInRequest.tools) this.#checkTool(tool);
    for (const tier of feesInRequest.tiers) this.#checkTier(tier);
    attempt.sentTier = costliestTier(feesInRequest, this.#options.price);
    attempt.freeUnits = new Set(feesInRequest.tools.flatMap(({ freeUnit }) => freeUnit ?? []));
    for (const { unit, isUnreported } of feesInRequest.tools)
      if (unit !== undefined && isUnreported === true) (attempt.unreported ??= {})[unit] = 1;
    return this.#limitToolCalls(exchange, feesInRequest);
  }

  recordReported(reported: ReportedExtraUsage | undefined): void {
    if (reported === undefined) return;
    const { calls = [], counts, tier, tierAlias, answeredBy, iterations } = reported;
    const attempt = this.#attempt;
    if (tier !== undefined) attempt.tier = { name: tier, alias: tierAlias };
    attempt.answeredBy = answeredBy ?? attempt.answeredBy;
    attempt.iterations = iterations ?? attempt.iterations;
    attempt.counts = counts ?? attempt.counts;
    for (const { unit, id } of calls) {
      attempt.calls ??= new Map<ToolUnit, Set<string>>();
      const ids = attempt.calls.get(unit) ?? new Set();
      if (ids.size < maxCalls) ids.add(id);
      attempt.calls.set(unit, ids);
    }
  }

  billFor(units: Units): Bill {
    const { calls, counts, unreported, answeredBy, iterations } = this.#attempt;
    const price = answeredBy === undefined ? this.#options.price : this.#priceAt(answeredBy);
    const isWithoutTools = calls === undefined && counts === undefined && unreported === undefined;
    const bill = this.#atTier(price, isWithoutTools ? units : { ...units, ...this.#toolCallsIn(units) });
    return answeredBy === undefined && iterations === undefined ? bill : this.#withOthers(bill);
  }

  #atTier(price: Price, units: Units): Bill {
    const { tier: reported, sentTier } = this.#attempt;
    const tier = (reported === undefined ? sentTier : nameInPrice(reported, price)) ?? "default";
    const tierPrice = price.serviceTiers.get(tier);
    // A cheaper tier reduces the price only if the answer confirms it.
    const isConfirmed = reported !== undefined || isMoreExpensive(sentTier, price);
    return {
      units,
      price: (isConfirmed ? tierPrice : undefined) ?? price,
      serviceTier: tier === "default" || !(isConfirmed || tierPrice === undefined) ? undefined : tier,
      isTierUnpriced: tierPrice === undefined && !tiersWithoutSurcharge.has(tier),
    };
  }

  /**
   * Adds the tokens of `iterations`, which the vendor reports by model: to the bill's units if the price is the same,
   * otherwise to `otherModels`.
   */
  #withOthers(bill: Bill): Bill {
    const { answeredBy, iterations = [] } = this.#attempt;
    let { units } = bill;
    const otherModels: BilledModel[] = [];
    for (const { model, units: reported } of iterations) {
      const used = capUnits(reported, boundOfIteration).units;
      const { price } = this.#atTier(model === undefined ? this.#options.price : this.#priceAt(model), used);
      if (model === undefined || price === bill.price) units = addUnits(units, used);
      else otherModels.push({ model, units: used, price });
    }
    return { ...bill, units, answeredBy, otherModels };
  }

  #priceAt(upstreamModel: string): Price {
    return this.#attempt.priceOf?.(upstreamModel) ?? this.#options.price;
  }

  #toolCallsIn(units: Units): Units {
    const { calls, counts, unreported, freeUnits } = this.#attempt;
    const used: Units = {};
    const isBilled = Object.keys(units).length > 0;
    for (const unit of toolUnits) {
      if (freeUnits?.has(unit) === true) continue;
      const reported = Math.min(maxCalls, Math.max(calls?.get(unit)?.size ?? 0, counts?.[unit] ?? 0));
      const count = reported > 0 || !isBilled ? reported : (unreported?.[unit] ?? 0);
      if (count > 0) used[unit] = count;
    }
    return used;
  }

  #checkTool(tool: RequestedTool): void {
    const { requested, price, allow, unpriced } = this.#options;
    // In another wire than the client's, the tool has another path. Messages then name the client's tool with the same
    // unit.
    const clientTool =
      requested?.tools.find(({ path }) => path === tool.path) ??
      requested?.tools.find(({ unit }) => unit === tool.unit);
    const path = clientTool?.path ?? tool.path;
    if (tool.model !== undefined) allowModel(allow, tool.model, `${path}.model`);
    if (tool.choosesModel === true)
      throw new Failure("unsupported_parameter", `${path}: only the gateway chooses the model. Leave this field out.`, {
        param: path,
      });
    if (tool.fallback !== undefined) return this.#checkFallback(tool.fallback, path);
    if (unpriced === "pass") return;
    if (!isToolPriced(tool, price))
      throw unpricedFailure(path, `${path} is a tool that the vendor charges for, but this model has no price for it`);
    if (tool.surchargePath !== undefined)
      throw unpricedFailure(tool.surchargePath, `${tool.surchargePath} is not covered by this model's price`);
  }

  #checkFallback(model: string, path: string): void {
    const { fallbackPrice, unpriced } = this.#options;
    let price: Price | undefined;
    allowModel((name) => (price = fallbackPrice?.(name)), model, `${path}.model`);
    if (price === undefined && unpriced !== "pass")
      throw unpricedFailure(`${path}.model`, `${path}.model is a model that has no price here`);
  }

  #checkTier(tier: RequestedTier): void {
    const { requested, price, unpriced } = this.#options;
    if (unpriced === "pass" || isTierPriced(tier, price)) return;
    const { name } = tier;
    const path = requested?.tiers.find((each) => each.name === name)?.path ?? "service_tier";
    throw unpricedFailure(
      path,
      `${path} requests the service tier ${JSON.stringify(name.slice(0, 64))}, which this model has no price for`,
    );
  }

  #limitToolCalls<Sent extends SentFees>(exchange: Sent, sent: RequestedFees): Sent {
    const { price, limits } = this.#options;
    const { capTools } = exchange;
    const isHeld = sent.tools.some((tool) => isToolPriced(tool, price));
    if (capTools === undefined || !isHeld || !Buffer.isBuffer(exchange.body)) return exchange;
    return { ...exchange, body: capTools(exchange.body, limits.toolCalls) };
  }
}

/** Returns the fees without those of dropped fields. */
function feesWithout(fees: RequestedFees | undefined, dropped: readonly string[] = []): RequestedFees | undefined {
  if (fees === undefined || dropped.length === 0) return fees;
  const isSent = ({ path }: { readonly path: string }): boolean =>
    !dropped.some((name) => path === name || path.startsWith(`${name}[`) || path.startsWith(`${name}.`));
  return { ...fees, tools: fees.tools.filter(isSent), tiers: fees.tiers.filter(isSent) };
}

/** Returns true if a model has a price for a vendor-side tool, or the tool costs only tokens. */
export function isToolPriced({ unit, costsOnlyTokens }: RequestedTool, price: Price): boolean {
  return costsOnlyTokens === true || (unit !== undefined && price.has(unit));
}

/** Returns true if a service tier costs no more than the default one, or has a price. */
export function isTierPriced(tier: Pick<RequestedTier, "name" | "alias">, price: Price): boolean {
  return tiersWithoutSurcharge.has(tier.name) || price.serviceTiers.has(nameInPrice(tier, price));
}

/** Returns the name of a tier that has a factor. */
function nameInPrice({ name, alias }: Pick<RequestedTier, "name" | "alias">, { serviceTiers }: Price): string {
  return alias !== undefined && !serviceTiers.has(name) && serviceTiers.has(alias) ? alias : name;
}

function isMoreExpensive(name: string | undefined, { serviceTiers, factor }: Price): boolean {
  return name !== undefined && (serviceTiers.get(name)?.factor ?? 0n) > factor;
}

function maxFeesOf(options: FeesOptions): MaxFees {
  const { requested, price, limits } = options;
  const isCalled = ({ fallback, costsOnlyTokens }: RequestedTool): boolean =>
    fallback === undefined || costsOnlyTokens === true;
  const tools = (requested?.tools ?? []).filter(isCalled);
  const all = requested?.maxCalls;
  const units: Units = {};
  let calls = 0;
  let rereads = 0;
  for (const { unit, fallback, maxCalls: max } of tools) {
    const maxOfTool = Math.min(max ?? all ?? limits.toolCalls, all ?? Infinity, maxCalls);
    calls += maxOfTool;
    if (fallback !== undefined) rereads += maxOfTool;
    if (unit !== undefined) units[unit] = (units[unit] ?? 0) + maxOfTool;
  }
  const toolTokens = Math.min(calls, all ?? Infinity) * limits.toolTokens;
  return { units, inputTokens: toolTokens, rereads, price: costliestPrice(options, heldPrice(requested, price)) };
}

/** Returns the price of the most expensive model that may answer. */
function costliestPrice({ requested, fallbackPrice }: FeesOptions, price: Price): Price {
  let costliest = price;
  for (const { fallback } of requested?.tools ?? []) {
    const other = fallback === undefined ? undefined : priceOrNone(fallbackPrice, fallback);
    const heldPriceOfModel = other === undefined ? undefined : heldPrice(requested, other);
    if (
      heldPriceOfModel !== undefined &&
      costOf(comparisonUsage, heldPriceOfModel, 1) > costOf(comparisonUsage, costliest, 1)
    )
      costliest = heldPriceOfModel;
  }
  return costliest;
}

/** Usage by which prices are compared. */
const comparisonUsage: Units = { inputTokens: 3_000_000, outputTokens: 1_000_000 };

/** Returns the price of a model that may answer; undefined if it has none, or the caller may not use it. */
export function priceOrNone(priceOf: FeesOptions["fallbackPrice"], model: string): Price | undefined {
  try {
    return priceOf?.(model);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/**
 * Returns the price for which money is held: that of the most expensive tier that may serve the call. A tier that is
 * cheaper than the default does not reduce it.
 */
function heldPrice(requested: RequestedFees | undefined, price: Price): Price {
  if (price.serviceTiers.size === 0) return price;
  const tiers = requested === undefined || requested.tiers.length === 0 ? vendorChosenTiers : requested.tiers;
  return tiers.reduce((costliest, tier) => {
    const tierPrice = price.serviceTiers.get(nameInPrice(tier, price));
    return tierPrice !== undefined && tierPrice.factor > costliest.factor ? tierPrice : costliest;
  }, price);
}

/** Returns the most expensive requested tier. A request may name several in different members. */
function costliestTier({ tiers }: RequestedFees, price: Price): string | undefined {
  const factorOf = (name: string): bigint => price.serviceTiers.get(name)?.factor ?? 0n;
  const names = tiers.map((tier) => nameInPrice(tier, price));
  return names.toSorted((left, right) => (factorOf(left) < factorOf(right) ? 1 : -1))[0];
}

function allowModel(allow: FeesOptions["allow"], model: string, param: string): void {
  try {
    allow(model);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, error.message, { param });
  }
}

/** Creates the failure for a tool or tier without a price. Only the operator can set a price or change the group. */
function unpricedFailure(param: string, reason: string): Failure {
  return new Failure("unsupported_parameter", `${reason}. Leave it out, or ask the operator to set a price.`, {
    param,
  });
}
