import type { SendState } from "@modelgate/channels";
import { asFailure, type Failure } from "@modelgate/contracts";
import { ClientGone, endedBy } from "@modelgate/platform";
import type { Call } from "./call.ts";
import type { RunDeps } from "./deps.ts";
import type { DetachedSeat } from "./detached-answers.ts";
import type { Plan } from "./kind.ts";

/** Status of a call whose client disconnected before the answer, for events and logs; nginx uses the same number. */
export const clientLeft = 499;

/**
 * Decides when the exchange with a vendor must end: with its call, or later if the answer is still read after the
 * client disconnected. Dispose it when the call has ended.
 */
export class Leaving implements SendState, Disposable {
  /** Signal that is aborted when the exchange with the vendor must end. */
  readonly ended: AbortSignal;
  readonly #detachedAnswers: RunDeps["detachedAnswers"];
  readonly #ending: AbortSignal;
  readonly #broken: AbortSignal | undefined;
  /** Controls `ended` if the exchange may continue after the call's signal is aborted. */
  readonly #delayed: AbortController | undefined;
  /** True if the attempt's request has been sent to the vendor. */
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

  /** Begins an attempt and forgets the previous one. Throws Failure or ClientGone if the call has ended. */
  begins(): void {
    this.isSent = false;
    const failure = endedBy(this.#ending);
    if (failure !== undefined) throw failure;
    if (!this.#ending.aborted && this.#broken?.aborted !== true) return;
    this.#delayed?.abort();
    throw new ClientGone("the client disconnected before the answer");
  }

  /**
   * Returns whether a client that disconnected must pay: its complete request was sent to the vendor, and the exchange
   * was ended or timed out before the vendor answered or failed.
   */
  isOwing({ code }: Pick<Failure, "code">): boolean {
    if (!this.isSent || this.#broken?.aborted === true) return false;
    return this.ended.aborted || code === "upstream_timeout";
  }

  /**
   * Returns whether the client has disconnected. If it did so while its body was being sent, the body reports this
   * first.
   */
  get isClientGone(): boolean {
    return this.#ending.reason instanceof ClientGone || this.#broken?.reason instanceof ClientGone;
  }

  /**
   * Returns the failure that ends the call whatever the vendor does: the gateway shuts down, or the client's body
   * failed. Undefined if there is none.
   */
  get failure(): Failure | undefined {
    return endedBy(this.#ending) ?? (this.#broken?.aborted === true ? asFailure(this.#broken.reason) : undefined);
  }

  /**
   * Handles the end of the call. If the client disconnected and a slot is free, the vendor's answer is read to its end;
   * otherwise the exchange is aborted.
   */
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
