import { tokensIn, type CallStatus } from "@modelgate/contracts";
import { channelKeyIdOf, type OpenAttempt, type AttemptsFailed, type AttemptReport } from "@modelgate/channels";
import type { Exchange, StartedJob, StartedTask, WholeAnswer } from "./answers/exchange.ts";
import type { HeldStream } from "./answers/held-stream.ts";
import type { StreamAnswerReader } from "./answers/stream-reader.ts";
import type { Call, ServingModel } from "./call.ts";
import type { RunDeps } from "./deps.ts";
import type { Answered, CallKind, Plan } from "./kind.ts";
import { Leaving } from "./leaving.ts";
import type { HeldMoney } from "./money/held-money.ts";
import type { Metered } from "./money/measure.ts";
import { Meter } from "./money/meter.ts";
import { notSent, type Outcome } from "./outcome.ts";

/**
 * An accepted answer with its exchange: a complete answer, a started task or job, or a stream of which the first frame
 * has arrived.
 */
export type Accepted = {
  readonly exchange: Exchange;
  /** Time of the answer's first byte, by `performance.now()`. */
  readonly firstByteAt: number;
} & (
  | { readonly kind: "whole"; readonly answer: WholeAnswer }
  | { readonly kind: "task"; readonly task: StartedTask }
  | { readonly kind: "job"; readonly job: StartedJob }
  | { readonly kind: "stream"; readonly reader: StreamAnswerReader; readonly held: HeldStream }
);

/** The money that is held for a run, with its price and expected cost. */
export type RunMoney = Pick<
  HeldMoney,
  | "renew"
  | "callId"
  | "certain"
  | "chargedNanos"
  | "costOf"
  | "expected"
  | "extend"
  | "handOver"
  | "heldAt"
  | "record"
  | "settle"
>;

/** Constructor arguments of `CallRun`. */
export interface CallRunParts<Planned extends Plan> {
  readonly kind: Pick<CallKind<never, Planned>, "answered" | "countUnsupported" | "exchange">;
  readonly plan: Planned;
  readonly serving: ServingModel;
  readonly held: RunMoney;
  /** Attempts with the models that were tried before; absent: this model is the first. */
  readonly triedBefore?: readonly AttemptReport[] | undefined;
}

/** Processing of a call with one model, from the time its money is held to its settlement. */
export class CallRun<Planned extends Plan = Plan> implements Disposable {
  readonly deps: RunDeps;
  readonly call: Call;
  readonly kind: CallRunParts<Planned>["kind"];
  readonly plan: Planned;
  readonly serving: ServingModel;
  readonly held: RunMoney;
  /** Meters an answer that is a stream while it arrives. */
  readonly meter: Meter;
  readonly leaving: Leaving;
  /** Outcome of the call so far. */
  outcome: Outcome = notSent;
  readonly #triedBefore: readonly AttemptReport[];

  constructor(deps: RunDeps, call: Call, { kind, plan, serving, held, triedBefore = [] }: CallRunParts<Planned>) {
    const { bound: max } = held.expected;
    this.deps = deps;
    this.call = call;
    this.kind = kind;
    this.plan = plan;
    this.serving = serving;
    this.held = held;
    this.meter = new Meter({
      maxReported: max === undefined ? undefined : max.outputTokens + max.extraTokens,
      fees: plan.fees,
    });
    this.#triedBefore = triedBefore;
    // A job that is not stored costs nothing, so no usage is certain while it starts.
    if (plan.cost.by !== "job") held.certain = () => this.#progress();
    this.leaving = new Leaving(deps, call, plan);
  }

  /** Records the route that answered. */
  answered({ route, tried, accepted: { firstByteAt, exchange } }: OpenAttempt<Accepted>): void {
    const all = this.#triedBefore.length === 0 ? tried : [...this.#triedBefore, ...tried];
    this.outcome = { ...notSent, route, tried: all, firstByteAt, dropped: exchange.dropped };
  }

  /** Records that no route answered. */
  failed({ route, tried }: AttemptsFailed): void {
    this.outcome = { ...notSent, route, tried: [...this.#triedBefore, ...tried] };
  }

  /**
   * Returns whether a fallback model should be tried: no vendor could serve the call (status 429 or 5xx), the request
   * may be sent again, and the client is still connected.
   */
  isWorthAnotherModel({ failure, isFinal }: AttemptsFailed): boolean {
    if (isFinal || this.leaving.isClientGone || this.leaving.failure !== undefined) return false;
    return failure.status >= 500 || failure.status === 429;
  }

  /** Settles the call. The promise never rejects. */
  settle({ units, estimated, capped }: Metered, ended: CallStatus, status: number, error?: string): Promise<void> {
    return this.held.settle({ ...this.outcome, units, estimated, capped, ended, status, error });
  }

  [Symbol.dispose](): void {
    this.leaving[Symbol.dispose]();
  }

  /** Returns the usage that is certain so far. It is charged if the process dies. */
  #progress(): Outcome {
    const units = { ...this.held.expected.floorUnits, outputTokens: this.meter.roughTokens };
    const status = tokensIn(units) > 0 ? 200 : 0;
    return { ...this.outcome, units, estimated: true, status };
  }
}

/** Describes an answer to the call's kind immediately before the client receives it. */
export function shownAnswer(
  { route, accepted }: OpenAttempt<Accepted>,
  text: Buffer | string,
  isCut: boolean,
): Answered {
  return { text: text.toString(), channelKey: channelKeyIdOf(route), wire: accepted.exchange.wire, isCut };
}
