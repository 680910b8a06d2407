import type { SendState } from "@modelgate/channels";
import { asFailure, type Failure } from "@modelgate/contracts";
import { ClientDisconnected, gatewayFailureOf } from "@modelgate/platform";
import type { Call } from "./call.ts";
import type { RunDeps } from "./deps.ts";
import type { DetachedSlot } from "./detached-answers.ts";
import type { Plan } from "./kind.ts";

/** Status of a call whose client disconnected before the answer. Clients never see it; nginx uses the same number. */
export const clientDisconnectedStatus = 499;

/**
 * Lifetime of the exchange with a vendor. If the client disconnects from a call with `finishAfterDisconnect`, the
 * vendor's answer may still be read, because it reports the usage.
 */
export class ExchangeLifetime implements SendState, Disposable {
  /** Aborted when the exchange with the vendor must end. */
  readonly signal: AbortSignal;
  readonly #detachedAnswers: RunDeps["detachedAnswers"];
  readonly #ending: AbortSignal;
  readonly #bodyFailed: AbortSignal | undefined;
  /** Aborts `signal`. Undefined if the exchange always ends with the call. */
  readonly #delayedAbort: AbortController | undefined;
  /** True after the attempt's request was sent to the vendor. */
  isSent = false;
  #slot: DetachedSlot | undefined;

  constructor(
    { detachedAnswers }: Pick<RunDeps, "detachedAnswers">,
    { ending }: Pick<Call, "ending">,
    { bodyFailed, finishAfterDisconnect = false }: Pick<Plan, "bodyFailed" | "finishAfterDisconnect">,
  ) {
    this.#detachedAnswers = detachedAnswers;
    this.#ending = ending;
    this.#bodyFailed = bodyFailed;
    this.#delayedAbort = finishAfterDisconnect ? new AbortController() : undefined;
    const signal = this.#delayedAbort?.signal ?? ending;
    this.signal = bodyFailed === undefined ? signal : AbortSignal.any([signal, bodyFailed]);
    if (this.#delayedAbort !== undefined) {
      if (ending.aborted) this.#delayedAbort.abort();
      else ending.addEventListener("abort", this);
    }
  }

  /** Resets `isSent` for a new attempt. Throws Failure or ClientDisconnected if the call has ended. */
  beginAttempt(): void {
    this.isSent = false;
    const failure = gatewayFailureOf(this.#ending);
    if (failure !== undefined) throw failure;
    if (!this.#ending.aborted && this.#bodyFailed?.aborted !== true) return;
    this.#delayedAbort?.abort();
    throw new ClientDisconnected("the client disconnected before the answer");
  }

  /**
   * Returns true if a client that disconnected must pay, because the vendor received the complete request and its
   * result is unknown.
   */
  mustClientPay({ code }: Pick<Failure, "code">): boolean {
    if (!this.isSent || this.#bodyFailed?.aborted === true) return false;
    return this.signal.aborted || code === "upstream_timeout";
  }

  /**
   * Returns true if the client has disconnected. While its body is being sent, the body's signal may report this before
   * the call's signal does.
   */
  get isClientGone(): boolean {
    return this.#ending.reason instanceof ClientDisconnected || this.#bodyFailed?.reason instanceof ClientDisconnected;
  }

  /** Returns the failure that ends the call whatever the vendor does: a shutdown, or a failure of the client's body. */
  get failure(): Failure | undefined {
    return (
      gatewayFailureOf(this.#ending) ??
      (this.#bodyFailed?.aborted === true ? asFailure(this.#bodyFailed.reason) : undefined)
    );
  }

  /**
   * Handles the abort of the call's signal. If the client disconnected after the request was sent, the vendor's answer
   * is read to its end, provided that a slot is free.
   */
  handleEvent(): void {
    const delayed = this.#delayedAbort;
    const mayFinish = this.#ending.reason instanceof ClientDisconnected && this.isSent && !this.signal.aborted;
    if (mayFinish) this.#slot = this.#detachedAnswers.openSlot();
    if (this.#slot === undefined) delayed?.abort();
    else this.#slot.signal.addEventListener("abort", () => delayed?.abort(), { once: true });
  }

  [Symbol.dispose](): void {
    if (this.#delayedAbort !== undefined) this.#ending.removeEventListener("abort", this);
    this.#slot?.[Symbol.dispose]();
  }
}
