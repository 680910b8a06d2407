import type { SendState } from "@modelgate/channels";
import { asFailure, type Failure } from "@modelgate/contracts";
import { ClientGone, endedBy } from "@modelgate/platform";
import type { Call } from "./call.ts";
import type { RunDeps } from "./deps.ts";
import type { DetachedSeat } from "./detached-answers.ts";
import type { Plan } from "./kind.ts";

/** Status of a call whose client disconnected before the answer (nginx's 499), for events and logs. */
export const clientLeft = 499;

/**
 * Decides when the exchange with a vendor is ended: together with its call, or later if the answer is read after the
 * client disconnected. Dispose it when the call has ended.
 */
export class Leaving implements SendState, Disposable {
  /** Aborted when the exchange with the vendor must end. */
  readonly ended: AbortSignal;
  readonly #detachedAnswers: RunDeps["detachedAnswers"];
  readonly #ending: AbortSignal;
  readonly #broken: AbortSignal | undefined;
  /** Ends the exchange if it must outlive the call's signal. */
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

  /** Begins an attempt, and resets what was recorded of earlier ones. Throws if the call has ended. */
  begins(): void {
    this.isSent = false;
    const failure = endedBy(this.#ending);
    if (failure !== undefined) throw failure;
    if (!this.#ending.aborted && this.#broken?.aborted !== true) return;
    this.#delayed?.abort();
    throw new ClientGone("the client left before its answer");
  }

  /**
   * Returns whether a client that disconnected is charged: the complete request was sent to the vendor, and the
   * exchange was ended or timed out before the vendor answered or failed.
   */
  isOwing({ code }: Pick<Failure, "code">): boolean {
    if (!this.isSent || this.#broken?.aborted === true) return false;
    return this.ended.aborted || code === "upstream_timeout";
  }

  /**
   * Returns whether the client disconnected. A body that ends for this reason reports it before the connection does.
   */
  get isClientGone(): boolean {
    return this.#ending.reason instanceof ClientGone || this.#broken?.reason instanceof ClientGone;
  }

  /** Returns the failure of the call, regardless of the vendor: the gateway shuts down, or the client's body failed. */
  get failure(): Failure | undefined {
    return endedBy(this.#ending) ?? (this.#broken?.aborted === true ? asFailure(this.#broken.reason) : undefined);
  }

  /**
   * Handles the end of the call: reads the vendor's answer to its end after the client disconnected, if there is a
   * slot; else aborts the exchange.
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
