import { tokensIn, type CallStatus } from "@modelgate/contracts";
import { channelKeyIdOf, type OpenAttempt, type AttemptsFailed, type AttemptReport } from "@modelgate/channels";
import type { Exchange, StartedJob, StartedTask, CompleteAnswer } from "./answers/exchange.ts";
import type { BufferedStream } from "./answers/buffered-stream.ts";
import type { StreamAnswerReader } from "./answers/stream-reader.ts";
import type { Call, ServingModel } from "./call.ts";
import type { RunDeps } from "./deps.ts";
import type { FinalAnswer, CallKind, Plan } from "./kind.ts";
import { ExchangeLifetime } from "./exchange-lifetime.ts";
import type { HeldMoney } from "./money/held-money.ts";
import type { Metered } from "./money/measure.ts";
import { Meter } from "./money/meter.ts";
import { notSent, type Outcome } from "./outcome.ts";

/** An accepted answer with its exchange. If it is a stream, its first frame has arrived. */
export type AcceptedAnswer = {
  readonly exchange: Exchange;
  /** Time of the answer's first byte, by `performance.now()`. */
  readonly firstByteAt: number;
} & (
  | { readonly kind: "complete"; readonly answer: CompleteAnswer }
  | { readonly kind: "task"; readonly task: StartedTask }
  | { readonly kind: "job"; readonly job: StartedJob }
  | { readonly kind: "stream"; readonly reader: StreamAnswerReader; readonly bufferedStream: BufferedStream }
);

/** Money that is held for a call with one model. */
export type RunMoney = Pick<
  HeldMoney,
  | "holdAgain"
  | "callId"
  | "certainOutcome"
  | "chargedNanos"
  | "costOf"
  | "expected"
  | "extend"
  | "handOver"
  | "heldAt"
  | "record"
  | "settle"
>;

export interface CallRunParts<Planned extends Plan> {
  readonly kind: Pick<CallKind<never, Planned>, "onFinalAnswer" | "countUnsupported" | "exchange">;
  readonly plan: Planned;
  readonly serving: ServingModel;
  readonly heldMoney: RunMoney;
  readonly triedBefore?: readonly AttemptReport[] | undefined;
}

/** Processing of a call with one model, from the hold to the settlement. */
export class CallRun<Planned extends Plan = Plan> implements Disposable {
  readonly deps: RunDeps;
  readonly call: Call;
  readonly kind: CallRunParts<Planned>["kind"];
  readonly plan: Planned;
  readonly serving: ServingModel;
  readonly heldMoney: RunMoney;
  readonly meter: Meter;
  readonly lifetime: ExchangeLifetime;
  outcome: Outcome = notSent;
  #attempted: Disposable | undefined;
  readonly #triedBefore: readonly AttemptReport[];

  constructor(deps: RunDeps, call: Call, { kind, plan, serving, heldMoney, triedBefore = [] }: CallRunParts<Planned>) {
    const { bound: max } = heldMoney.expected;
    this.deps = deps;
    this.call = call;
    this.kind = kind;
    this.plan = plan;
    this.serving = serving;
    this.heldMoney = heldMoney;
    this.meter = new Meter({
      maxReported: max === undefined ? undefined : max.outputTokens + max.extraTokens,
      fees: plan.fees,
    });
    this.#triedBefore = triedBefore;
    // A job that could not be stored costs nothing, so no usage is certain.
    if (plan.cost.by !== "job") heldMoney.certainOutcome = () => this.#certainOutcome();
    this.lifetime = new ExchangeLifetime(deps, call, plan);
  }

  recordAnswer(attempted: OpenAttempt<AcceptedAnswer>): void {
    const { route, tried, accepted } = attempted;
    const { firstByteAt, exchange } = accepted;
    this.#attempted = attempted;
    const all = this.#triedBefore.length === 0 ? tried : [...this.#triedBefore, ...tried];
    this.outcome = { ...notSent, route, tried: all, firstByteAt, dropped: exchange.dropped };
  }

  recordFailure({ route, tried }: AttemptsFailed): void {
    this.outcome = { ...notSent, route, tried: [...this.#triedBefore, ...tried] };
  }

  /**
   * Returns true if a fallback model should be tried: no vendor could serve the call, and the client is still
   * connected.
   */
  isWorthAnotherModel({ failure, isFinal }: AttemptsFailed): boolean {
    if (isFinal || this.lifetime.isClientGone || this.lifetime.failure !== undefined) return false;
    return failure.status >= 500 || failure.status === 429;
  }

  /** Settles the call, whose exchange with the vendor has ended. Never rejects. */
  settle({ units, estimated, capped }: Metered, callStatus: CallStatus, status: number, error?: string): Promise<void> {
    // The settlement takes up to an hour during an outage of Redis. Other calls need the seat and the slot meanwhile.
    this.#attempted?.[Symbol.dispose]();
    this.lifetime[Symbol.dispose]();
    return this.heldMoney.settle({ ...this.outcome, units, estimated, capped, callStatus, status, error });
  }

  [Symbol.dispose](): void {
    this.lifetime[Symbol.dispose]();
  }

  /** Returns the outcome that is charged if the process dies: the floor, and an estimate of the output so far. */
  #certainOutcome(): Outcome {
    const units = { ...this.heldMoney.expected.floorUnits, outputTokens: this.meter.estimatedTokens };
    const status = tokensIn(units) > 0 ? 200 : 0;
    return { ...this.outcome, units, estimated: true, status };
  }
}

/** Builds the argument of `CallKind.onFinalAnswer`. */
export function finalAnswerOf(
  { route, accepted }: OpenAttempt<AcceptedAnswer>,
  text: Buffer | string,
  isEndedEarly: boolean,
): FinalAnswer {
  return { text: text.toString(), channelKey: channelKeyIdOf(route), wire: accepted.exchange.wire, isEndedEarly };
}
