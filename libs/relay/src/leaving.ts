import type { SendState } from "@modelgate/channels";
import { asFailure, type Failure } from "@modelgate/contracts";
import { ClientGone, endedBy } from "@modelgate/platform";
import type { Call } from "./call.ts";
import type { RunDeps } from "./deps.ts";
import type { DetachedSeat } from "./detached-answers.ts";
import type { Plan } from "./kind.ts";

/** The status of a client that left before its answer, as nginx has it: for events and logs. */
export const clientLeft = 499;

/**
 * Decides when the exchange with a vendor ends before the answer does: with its call, or later where the vendor is read
 * on without its client. Dispose it when the call is over.
 */
export class Leaving implements SendState, Disposable {
  /** Aborted when the exchange with the vendor is to end. */
  readonly ended: AbortSignal;
  readonly #detachedAnswers: RunDeps["detachedAnswers"];
  readonly #ending: AbortSignal;
  readonly #broken: AbortSignal | undefined;
  /** Ends the exchange where that is not for the call's own ending to do. */
  readonly #delayed: AbortController | undefined;
  /** True if the attempt's request is on its way to the vendor. */
  isSent = false;
  #seat: DetachedSeat | undefined;

  constructor(
    { detachedAnswers }: Pick<RunDeps, "detachedAnswers">,
    { ending }: Pick<Call, "ending">,
    { broken, finishAfterDisconnect = false }: Pick<Plan, "broken" | "finishAfterDisconnect">,
  ) {
    this.#detachedAnswers = detachedAnswers;
    this.#ending = ending;
    this.#broken = broken;
    this.#delayed = finishAfterDisconnect ? new AbortController() : undefined;
    const signal = this.#delayed?.signal ?? ending;
    this.ended = broken === undefined ? signal : AbortSignal.any([signal, broken]);
    if (this.#delayed !== undefined) {
      if (ending.aborted) this.#delayed.abort();
      else ending.addEventListener("abort", this);
    }
  }

  /** Begins an attempt: what an earlier one was sent does not count any more. Throws if the call has ended. */
  begins(): void {
    this.isSent = false;
    const failure = endedBy(this.#ending);
    if (failure !== undefined) throw failure;
    if (!this.#ending.aborted && this.#broken?.aborted !== true) return;
    this.#delayed?.abort();
    throw new ClientGone("the client left before its answer");
  }

  /**
   * Returns whether a client that left owes what its vendor was sent: a whole body, to which the vendor has neither answered nor
   * failed in time.
   */
  isOwing({ code }: Pick<Failure, "code">): boolean {
    if (!this.isSent || this.#broken?.aborted === true) return false;
    return this.ended.aborted || code === "upstream_timeout";
  }

  /** Returns whether it was the client that left. A body that ended because of that says so before the connection does. */
  get isClientGone(): boolean {
    return this.#ending.reason instanceof ClientGone || this.#broken?.reason instanceof ClientGone;
  }

  /** Returns the failure of the call, whatever came of its vendor meanwhile: the gateway ends, or the client's body failed. */
  get failure(): Failure | undefined {
    return endedBy(this.#ending) ?? (this.#broken?.aborted === true ? asFailure(this.#broken.reason) : undefined);
  }

  /** The call ends: reads the vendor's answer to its end after the client left, where there is a slot; else ends the exchange. */
  handleEvent(): void {
    const delayed = this.#delayed;
    const isFinished = this.#ending.reason instanceof ClientGone && this.isSent && !this.ended.aborted;
    if (isFinished) this.#seat = this.#detachedAnswers.take();
    if (this.#seat === undefined) delayed?.abort();
    else this.#seat.signal.addEventListener("abort", () => delayed?.abort(), { once: true });
  }

  [Symbol.dispose](): void {
    if (this.#delayed !== undefined) this.#ending.removeEventListener("abort", this);
    this.#seat?.[Symbol.dispose]();
  }
}
