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
  usageDraft,
  type BilledCall,
  type CallPricing,
  type UsageRecord,
} from "./usage-draft.ts";

/** Dependencies of `holdMoney`, and of the hold that it returns. */
export type HoldDeps = Pick<RelayDeps, "redis" | "settlements" | "renewals" | "log" | "newCallId"> & {
  readonly limits: Pick<RelayDeps["limits"], "leaseMs" | "outboxBound">;
};

/** A call, and the money to hold for it. */
export interface MoneyRequest {
  readonly call: BilledCall;
  readonly price: CallPricing;
  readonly expected: Expectation;
  /**
   * Outcome to record if the process dies right after the money is held; absent: the call has used the expected
   * minimum.
   */
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
      draft: usageDraft(record, certain),
      tokens,
      leaseMs,
      outboxBound,
    });
    return new HeldMoney(deps, record, expected);
  } catch (error) {
    const failure = asFailure(error);
    // Redis did not answer, but may have created the hold. If the hold exists, it is settled with a cost of zero.
    if (failure.cause !== undefined)
      void new HeldMoney(deps, record, expected).settle({ ...notSent, status: failure.status }, { onlyIfHeld: true });
    throw failure;
  }
}

/**
 * Money that is held for one call. Its lease is renewed until `settle`, `release` or `handOver` is called; only the
 * first call has an effect. After `settle` or `release`, the renewal continues until Redis has executed it, because
 * otherwise the ledger would settle the expired hold at its certain cost. Disposal releases the money if none of them
 * was called.
 */
export class HeldMoney implements RenewedHold, Disposable {
  readonly record: UsageRecord;
  readonly expected: Expectation;
  readonly accountId: string;
  readonly callId: string;
  /** Time at which the money was held, from `performance.now()`. */
  readonly heldAt: number;
  /** Charge of the call; undefined until the call is settled. */
  chargedNanos: Nanos | undefined;
  /**
   * Returns the outcome that is certain at this time. It is stored with each renewal and charged if the process dies.
   */
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
    this.#renewal = deps.renewals.add(this);
  }

  /** Returns the charge for these units if the call were settled with them. */
  costOf(units: Units): Nanos {
    return costOfUnits(this.record.price, capUnits(units, this.expected.bound).units);
  }

  /**
   * Holds the same amount again under another call id, because Redis has lost the first hold. Throws Failure as
   * `holdMoney` does.
   */
  renew(): Promise<HeldMoney> {
    const { call, price } = this.record;
    return holdMoney(this.#deps, { call, price, expected: this.expected });
  }

  /**
   * Extends the hold by `nanos`, with `ifEnabled` only if the account is not disabled. Returns false if the hold no
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
    return { floorNanos: costOfUnits(this.record.price, outcome.units), draft: usageDraft(this.record, outcome) };
  }

  /**
   * Settles the call and logs it in one line. The promise never rejects. `onlyIfHeld` is true if no request was sent
   * and it is unknown whether the money is held.
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
    const draft = usageDraft(this.record, outcome, billed, this.#heldNanos);
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

  /** Releases the money without recording any usage. The promise never rejects. */
  async release(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { accountId, callId } = this;
    await this.#deps.settlements.release({ accountId, callId }, this.record.call);
    this.#renewal[Symbol.dispose]();
  }

  /** Stops the renewal without ending the hold, which a stored record (such as a job) settles later. */
  handOver(): void {
    this.#hasEnded = true;
    this.#renewal[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (!this.#hasEnded) void this.release();
  }

  /** Returns the outcome with the units that are billed, and counts the excess against the channel. */
  #reportCapped(outcome: Outcome, units: Units, capped: readonly UnitName[]): Outcome {
    const all = [...new Set([...(outcome.capped ?? []), ...capped])];
    const { callId, call, price } = this.record;
    const channel = outcome.route?.candidate.channel.id ?? "";
    const reported = { ...idsOf(call), callId, channel, model: price.model.name };
    reportCapped(this.#deps, { ...reported, capped: all, reported: outcome.units });
    return { ...outcome, units, capped: all };
  }
}
