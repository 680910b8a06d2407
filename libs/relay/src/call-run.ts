import { tokensIn } from "@modelgate/contracts";
import { channelKeyIdOf, type Attempted, type AttemptsFailed, type Tried } from "@modelgate/channels";
import type { Exchange, StartedTask, WholeAnswer } from "./answers/exchange.ts";
import type { HeldStream } from "./answers/held-stream.ts";
import type { StreamAnswerReader } from "./answers/stream-reader.ts";
import type { Call, ServingModel } from "./call.ts";
import type { RunDeps } from "./deps.ts";
import type { CallKind, Plan } from "./kind.ts";
import { Leaving } from "./leaving.ts";
import type { HeldMoney } from "./money/held-money.ts";
import { Meter } from "./money/meter.ts";
import { notSent, type CallEnd, type SentCall } from "./money/usage-draft.ts";

/** Result of an attempt, and its exchange: a complete answer, a task that is begun, or a stream at its first frame. */
export type Accepted = {
  readonly exchange: Exchange;
  /** Time of its beginning, by `performance.now()`. */
  readonly firstByteAt: number;
} & (
  | { readonly kind: "whole"; readonly answer: WholeAnswer }
  | { readonly kind: "task"; readonly task: StartedTask }
  | { readonly kind: "stream"; readonly reader: StreamAnswerReader; readonly held: HeldStream }
);

/** The money of a run. */
export type RunMoney = Pick<
  HeldMoney,
  "callId" | "chargedNanos" | "costOf" | "expected" | "extend" | "heldAt" | "renew" | "settle"
>;

/** Parts of a run. */
export interface CallRunParts<Planned extends Plan> {
  readonly kind: Pick<CallKind<never, Planned>, "answered" | "countUnsupported" | "exchange">;
  readonly plan: Planned;
  readonly serving: ServingModel;
  readonly held: RunMoney;
  /** Attempts with the models before this one; absent: it is the first. */
  readonly triedBefore?: readonly Tried[] | undefined;
}

/** Life of a call with one model, from its hold to its settlement. */
export class CallRun<Planned extends Plan = Plan> implements Disposable {
  readonly deps: RunDeps;
  readonly call: Call;
  readonly kind: CallRunParts<Planned>["kind"];
  readonly plan: Planned;
  readonly serving: ServingModel;
  readonly held: RunMoney;
  /** Meters the answer as it comes. */
  readonly meter: Meter;
  readonly leaving: Leaving;
  /** Route and attempts of the call, as far as they are known. */
  sent: SentCall = notSent;
  readonly #triedBefore: readonly Tried[];

  constructor(deps: RunDeps, call: Call, { kind, plan, serving, held, triedBefore = [] }: CallRunParts<Planned>) {
    const { most } = held.expected;
    this.deps = deps;
    this.call = call;
    this.kind = kind;
    this.plan = plan;
    this.serving = serving;
    this.held = held;
    this.meter = new Meter({
      maxReported: most === undefined ? undefined : most.outputTokens + most.extraTokens,
      fees: plan.fees,
    });
    this.#triedBefore = triedBefore;
    held.renew(() => this.#progress());
    this.leaving = new Leaving(deps, call, plan);
  }

  /** Notes the route that answered. */
  answered({ route, tried, accepted: { firstByteAt, exchange } }: Attempted<Accepted>): void {
    const all = this.#triedBefore.length === 0 ? tried : [...this.#triedBefore, ...tried];
    this.sent = { route, tried: all, firstByteAt, dropped: exchange.dropped };
  }

  /** Notes that no route answered. */
  failed({ route, tried }: AttemptsFailed): void {
    this.sent = { route, tried: [...this.#triedBefore, ...tried] };
  }

  /** Returns whether another model may do better: no channel of this one is to be had, and the call is right and still wanted. */
  isWorthAnotherModel({ failure, isFinal }: AttemptsFailed): boolean {
    if (isFinal || this.leaving.isClientGone || this.leaving.failure !== undefined) return false;
    return failure.status >= 500 || failure.status === 429;
  }

  /** Shows the answer to its kind, just before the client has it. */
  showAnswer({ route, accepted }: Attempted<Accepted>, text: Buffer | string, isCut: boolean): void {
    const { wire } = accepted.exchange;
    this.kind.answered?.(this.plan, { text: text.toString(), channelKey: channelKeyIdOf(route), wire, isCut });
  }

  [Symbol.dispose](): void {
    this.leaving[Symbol.dispose]();
  }

  /** Returns what is certain by now: what is charged if the process dies. */
  #progress(): CallEnd {
    const units = { ...this.held.expected.floorUnits, outputTokens: this.meter.roughTokens };
    const status = tokensIn(units) > 0 ? 200 : 0;
    return { units, estimated: true, outcome: "failed", status, sent: this.sent };
  }
}
