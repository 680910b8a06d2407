import {
  asFailure,
  costOf,
  endpointLabel,
  tokensIn,
  unpricedUnits,
  type Nanos,
  type Outcome,
  type Price,
  type UnitName,
  type Units,
  type UsageDraft,
} from "@modelgate/contracts";
import { extendHold, hold } from "@modelgate/accounts";
import { priceVersionOf } from "@modelgate/catalog";
import type { Tried, Way } from "@modelgate/channels";
import type { ServiceCall } from "@modelgate/platform";
import type { RelayDeps } from "../deps.ts";
import type { BilledFees } from "./fees.ts";
import type { Expectation } from "./expect.ts";
import type { CallPlan } from "../call/plan.ts";
import { tellCall } from "./tell-call.ts";
import { tellCapped } from "./tell-capped.ts";
import { capUnits, type UsageBound } from "./usage-bound.ts";

/** How a call ended, as it is billed. */
export interface CallEnd {
  readonly units: Units;
  readonly estimated: boolean;
  readonly outcome: Outcome;
  /** HTTP status that the client got. */
  readonly status: number;
  /** The most that this end can have used, where that shows only now; absent: as was expected. */
  readonly most?: UsageBound | undefined;
  /** Units that were cut to what the call could use. */
  readonly capped?: readonly UnitName[] | undefined;
  /** The failure's code, for the log. */
  readonly error?: string | undefined;
}

/** What a bill is written with. */
export type BillDeps = Pick<RelayDeps, "redis" | "settlements" | "log" | "newCallId"> & {
  readonly limits: Pick<RelayDeps["limits"], "leaseMs" | "outboxBound">;
};

/** Whose call it is, and what it is a call of. */
export type BilledCall = Pick<ServiceCall, "caller" | "requestId" | "id" | "endpoint"> &
  Partial<Pick<ServiceCall, "span">>;

/** What a call's price is made from, and what its event says of who caused it. */
export type Priced = Pick<CallPlan, "model" | "multiplier" | "fees" | "endUser">;

/** The money of one call: held before it is sent, settled once when it is over. */
export class Bill {
  readonly callId: string;
  readonly expected: Expectation;
  readonly #deps: BillDeps;
  readonly #call: BilledCall;
  #plan: Priced;
  #startedAt = performance.now();
  #firstByteAt: number | undefined;
  #way: Way | undefined;
  #tried: readonly Tried[] = [];
  #settled = false;

  constructor(deps: BillDeps, call: BilledCall, plan: Priced, expected: Expectation) {
    this.callId = deps.newCallId();
    this.expected = expected;
    this.#deps = deps;
    this.#call = call;
    this.#plan = plan;
  }

  /** Puts the upper bound aside, or throws what the client is told. */
  hold(): Promise<void> {
    const { accountId, tokenId, tokensPerMinute, budgets } = this.#call.caller;
    const { limits, redis } = this.#deps;
    const { upperNanos, floorNanos, floorUnits, tokens } = this.expected;
    return hold(redis, {
      accountId,
      tokenId,
      tokensPerMinute,
      budgets,
      callId: this.callId,
      nanos: upperNanos,
      floorNanos,
      draft: this.draft({ units: floorUnits, estimated: true, outcome: "failed", status: 0 }),
      tokens,
      leaseMs: limits.leaseMs,
      outboxBound: limits.outboxBound,
    });
  }

  /** Puts more aside; false where the hold is gone. Throws Failure as `extendHold` does. */
  extend(nanos: Nanos): Promise<boolean> {
    return extendHold(this.#deps.redis, { accountId: this.#call.caller.accountId, callId: this.callId, nanos });
  }

  /** Where the call went, and what was tried. */
  went(way: Way | undefined, tried: readonly Tried[]): void {
    this.#way = way;
    this.#tried = tried;
  }

  /** What is billed at, where that is known only from what a vendor was told: one of the prices that were held for. */
  pricedAt(price: Price): void {
    this.#plan = { ...this.#plan, model: { ...this.#plan.model, price } };
  }

  /** The call begins now, not when its money was put aside: a session holds money for what may be asked later. */
  begins(): void {
    this.#startedAt = performance.now();
  }

  /** The vendor's first byte is there. */
  firstByte(): void {
    this.#firstByteAt ??= performance.now();
  }

  /** How long the vendor's first byte took; how long it has been until now where there is none yet. */
  get firstByteMs(): number {
    return (this.#firstByteAt ?? performance.now()) - this.#startedAt;
  }

  costOf(units: Units): Nanos {
    const billed = this.#billed(units);
    return costOf(billed.units, billed.price, this.#plan.multiplier);
  }

  /** Units with what the call used beside its tokens, and the price that they are billed at. */
  #billed(units: Units): BilledFees {
    const { fees, model } = this.#plan;
    return fees?.billed(units) ?? { units, price: model.price, isTierUnpriced: false };
  }

  /**
   * Settles the call and writes its one log line; the promise never rejects. A second call does nothing. `onlyIfHeld`: it
   * is not known whether money was put aside, and nothing was sent.
   */
  settle(reported: CallEnd, { onlyIfHeld = false } = {}): Promise<void> {
    if (this.#settled) return Promise.resolve();
    this.#settled = true;
    const { accountId, tokenId } = this.#call.caller;
    const end = this.#capped(reported);
    const draft = this.draft(end);
    const costNanos = this.costOf(end.units);
    tellCall(this.#deps.log, this.#call.span, {
      draft,
      kind: this.#plan.model.kind,
      provider: this.#way?.candidate.channel.provider,
      units: draft.units,
      costNanos,
      tried: this.#tried,
      error: end.error,
    });
    return this.#deps.settlements.settle({
      accountId,
      tokenId,
      callId: this.callId,
      costNanos,
      tokens: tokensIn(end.units),
      draft,
      onlyIfHeld,
    });
  }

  /** What a vendor reports beyond what the call could use is not billed, and is told of its channel. */
  #capped(end: CallEnd): CallEnd {
    const { units, capped } = capUnits(end.units, end.most ?? this.expected.most);
    const all = [...new Set([...(end.capped ?? []), ...capped])];
    if (all.length === 0) return end;
    const { requestId } = this.#call;
    const channel = this.#way?.candidate.channel.id ?? "";
    const model = this.#plan.model.name;
    tellCapped(this.#deps, { requestId, callId: this.callId, channel, model, capped: all, reported: end.units });
    return { ...end, units, capped: all };
  }

  /** The usage event of an end; its final cost is the settlement's to say. */
  draft(end: CallEnd): UsageDraft {
    const { caller, requestId, id, endpoint } = this.#call;
    const now = performance.now();
    const latencyMs = Math.round(now - this.#startedAt);
    const { units, price, serviceTier, isTierUnpriced } = this.#billed(end.units);
    const unpriced = [...unpricedUnits(units, price), ...(isTierUnpriced ? (["serviceTier"] as const) : [])];
    const upstreamRequestId = this.#tried.at(-1)?.upstreamRequestId;
    return {
      id: this.callId,
      time: new Date().toISOString(),
      requestId,
      accountId: caller.accountId,
      tokenId: caller.tokenId,
      group: caller.group,
      area: endpoint.area,
      endpoint: endpointLabel(id),
      model: this.#plan.model.name,
      upstreamModel: this.#way?.candidate.upstreamModel ?? "",
      channelId: this.#way?.candidate.channel.id ?? "",
      status: end.status,
      outcome: end.outcome,
      units,
      estimated: end.estimated,
      multiplier: this.#plan.multiplier,
      latencyMs,
      firstByteMs: this.#firstByteAt === undefined ? latencyMs : Math.round(this.#firstByteAt - this.#startedAt),
      attempts: this.#tried.length,
      priceVersion: priceVersionOf(price),
      ...(unpriced.length === 0 ? {} : { unpriced }),
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(end.capped === undefined ? {} : { capped: [...end.capped] }),
      ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }),
      ...(caller.tags === undefined ? {} : { tags: caller.tags }),
      ...(this.#plan.endUser === undefined ? {} : { endUser: this.#plan.endUser }),
    };
  }
}

/**
 * Holds, or throws what the client is told. A store that did not answer may have held all the same: nothing was sent,
 * so the call is settled at nothing, which changes nothing where there is no hold. The client does not wait for it.
 */
export async function holdOrForget(bill: Bill): Promise<void> {
  try {
    await bill.hold();
  } catch (error) {
    const failure = asFailure(error);
    if (failure.cause !== undefined)
      void bill.settle(
        { units: {}, estimated: false, outcome: "failed", status: failure.status },
        { onlyIfHeld: true },
      );
    throw failure;
  }
}
