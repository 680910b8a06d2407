import { idsOf } from "@modelgate/platform";
import { extendHold, hold } from "@modelgate/accounts";
import { asFailure, tokensIn, type Nanos, type UnitName, type Units } from "@modelgate/contracts";
import type { RelayDeps } from "../deps.ts";
import { notSent, type Outcome } from "../outcome.ts";
import type { Expectation } from "./expect.ts";
import { logCall, reportCapped } from "./call-metrics.ts";
import type { HoldProgress, RenewedHold } from "./settlements.ts";
import { capUnits } from "./usage-bound.ts";
import {
  billOf,
  costOfBill,
  costOfUnits,
  makeUsageDraft,
  type BilledCall,
  type CallPricing,
  type UsageRecord,
} from "./usage-draft.ts";

export type HoldDeps = Pick<RelayDeps, "redis" | "settlements" | "renewals" | "log" | "newCallId"> & {
  readonly limits: Pick<RelayDeps["limits"], "leaseMs" | "outboxBound">;
};

/** A call, and the money to hold for it. */
export interface MoneyRequest {
  readonly call: BilledCall;
  readonly price: CallPricing;
  readonly expected: Expectation;
  /** Outcome to record if the process dies at once. By default the call has used the expected minimum. */
  readonly certainOutcome?: Outcome | undefined;
}

/**
 * Holds money for a call. Throws Failure if the balance, a budget or the tokens per minute do not suffice, or if Redis
 * is unavailable.
 */
export async function holdMoney(deps: HoldDeps, request: MoneyRequest): Promise<HeldMoney> {
  const { call, price, expected } = request;
  const certain = request.certainOutcome ?? { ...notSent, units: expected.floorUnits, estimated: true };
  const record: UsageRecord = { callId: deps.newCallId(), call, price, heldAt: performance.now() };
  const { accountId, tokenId, limitsId, tokensPerMinute, budgets } = call.caller;
  const { upperNanos, floorNanos, tokens } = expected;
  const { leaseMs, outboxBound } = deps.limits;
  try {
    await hold(deps.redis, {
      accountId,
      tokenId,
      limitsId,
      tokensPerMinute,
      budgets,
      callId: record.callId,
      nanos: upperNanos,
      floorNanos,
      draft: makeUsageDraft(record, certain),
      tokens,
      leaseMs,
      outboxBound,
    });
    return new HeldMoney(deps, record, expected);
  } catch (error) {
    const failure = asFailure(error);
    // Redis may have created the hold although it did not answer. Such a hold is settled with a cost of zero.
    if (failure.cause !== undefined)
      void new HeldMoney(deps, record, expected).settle({ ...notSent, status: failure.status }, { onlyIfHeld: true });
    throw failure;
  }
}

/**
 * Money that is held for one call. Its lease is renewed until Redis has executed `settle` or `release`, or until
 * `handOver`. Only the first of these three has an effect. Disposal releases the money.
 */
export class HeldMoney implements RenewedHold, Disposable {
  readonly record: UsageRecord;
  readonly expected: Expectation;
  readonly accountId: string;
  readonly callId: string;
  /** Time of the hold, from `performance.now()`. */
  readonly heldAt: number;
  /** Undefined until the call is settled. */
  chargedNanos: Nanos | undefined;
  /** Returns the outcome that is charged if the process dies now. */
  certainOutcome: (() => Outcome) | undefined;
  readonly #deps: HoldDeps;
  readonly #renewal: Disposable;
  #hasEnded = false;
  #heldNanos: Nanos;

  constructor(deps: HoldDeps, record: UsageRecord, expected: Expectation) {
    this.record = record;
    this.expected = expected;
    this.accountId = record.call.caller.accountId;
    this.callId = record.callId;
    this.heldAt = record.heldAt;
    this.#deps = deps;
    this.#heldNanos = expected.upperNanos;
    // The renewal ends only after Redis has settled or released the hold. The ledger settles an expired hold at its
    // certain cost, which may be too low.
    this.#renewal = deps.renewals.add(this);
  }

  /** Returns the charge if the call used these units. */
  costOf(units: Units): Nanos {
    return costOfUnits(this.record.price, capUnits(units, this.expected.bound).units);
  }

  /**
   * Holds the same amount under another call id, because Redis has lost the first hold. Throws Failure as `holdMoney`
   * does.
   */
  holdAgain(): Promise<HeldMoney> {
    const { call, price } = this.record;
    return holdMoney(this.#deps, { call, price, expected: this.expected });
  }

  /**
   * Extends the hold by `nanos`; with `ifEnabled` only if the account is not disabled. Returns false if the hold no
   * longer exists. Throws Failure as `extendHold` does.
   */
  async extend(nanos: Nanos, { ifEnabled = false } = {}): Promise<boolean> {
    const { accountId, callId } = this;
    const isHeld = await extendHold(this.#deps.redis, { accountId, callId, nanos, ifEnabled });
    if (isHeld) this.#heldNanos += nanos;
    return isHeld;
  }

  progress(): HoldProgress | undefined {
    const outcome = this.certainOutcome?.();
    if (outcome === undefined) return undefined;
    return { floorNanos: costOfUnits(this.record.price, outcome.units), draft: makeUsageDraft(this.record, outcome) };
  }

  /**
   * Settles and logs the call. Never rejects. `onlyIfHeld` is true if no request was sent and the hold may not exist.
   */
  async settle(reported: Outcome, { onlyIfHeld = false } = {}): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { call, price } = this.record;
    if (call.facts !== undefined && !onlyIfHeld) call.facts.isBooked = true;
    const { units, capped } = capUnits(reported.units, reported.bound ?? this.expected.bound);
    const isCapped = capped.length > 0 || (reported.capped ?? []).length > 0;
    const outcome = isCapped ? this.#reportCapped(reported, units, capped) : reported;
    const billed = billOf(price, outcome.units);
    const draft = makeUsageDraft(this.record, outcome, billed, this.#heldNanos);
    const costNanos = costOfBill(billed, price.multiplier);
    this.chargedNanos = costNanos;
    logCall(this.#deps.log, call.span, {
      draft,
      kind: price.model.kind,
      provider: outcome.route?.candidate.channel.provider,
      units: draft.units,
      costNanos,
      tried: outcome.tried,
      error: outcome.error,
    });
    const { accountId, callId } = this;
    const settlement = { accountId, callId, costNanos, tokens: tokensIn(outcome.units), draft, onlyIfHeld };
    await this.#deps.settlements.settle(settlement, call);
    this.#renewal[Symbol.dispose]();
  }

  /** Releases the money without any usage. Never rejects. */
  async release(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { accountId, callId } = this;
    await this.#deps.settlements.release({ accountId, callId }, this.record.call);
    this.#renewal[Symbol.dispose]();
  }

  /** Stops the renewal. A stored record, such as a job, settles the hold later. */
  handOver(): void {
    this.#hasEnded = true;
    this.#renewal[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (!this.#hasEnded) void this.release();
  }

  #reportCapped(outcome: Outcome, units: Units, capped: readonly UnitName[]): Outcome {
    const all = [...new Set([...(outcome.capped ?? []), ...capped])];
    const { callId, call, price } = this.record;
    const channel = outcome.route?.candidate.channel.id ?? "";
    const reported = { ...idsOf(call), callId, channel, model: price.model.name };
    reportCapped(this.#deps, { ...reported, capped: all, reported: outcome.units });
    return { ...outcome, units, capped: all };
  }
}
