import type { Failure } from "@modelgate/contracts";
import { ClientGone, onInterrupt, type ServiceCall } from "@modelgate/platform";
import type { RelayDeps } from "../deps.ts";
import type { HeardOutSeat } from "./heard-out.ts";
import type { CallPlan } from "./plan.ts";

/** Nginx' word for a client that left before its answer: for events and logs, since nobody gets it. */
export const clientLeft = 499;

/** Whether a call's client is still there, and what its leaving, or the gateway's, ends. Dispose it when the call is over. */
export class Leaving implements Disposable {
  /** Aborted when the client leaves, or its body is wrong. */
  readonly gone: AbortSignal;
  /** Aborted when the exchange with the vendor is to end: with the client, or later where the vendor is heard out. */
  readonly ended: AbortSignal;
  readonly #plan: CallPlan;
  readonly #left = new AbortController();
  readonly #ending = new AbortController();
  #seat: HeardOutSeat | undefined;
  readonly #interruption: Disposable;
  #interrupted: Failure | undefined;
  #asked = false;

  constructor({ heardOut }: Pick<RelayDeps, "heardOut">, { response }: Pick<ServiceCall, "response">, plan: CallPlan) {
    const { broken } = plan;
    this.#plan = plan;
    this.gone = broken === undefined ? this.#left.signal : AbortSignal.any([this.#left.signal, broken]);
    this.ended = broken === undefined ? this.#ending.signal : AbortSignal.any([this.#ending.signal, broken]);
    const leave = (): void => {
      this.#left.abort();
      this.#seat = plan.hearsOut === true && this.#asked && !this.ended.aborted ? heardOut.take() : undefined;
      if (this.#seat === undefined) this.#ending.abort();
      else this.#seat.signal.addEventListener("abort", () => this.#ending.abort(), { once: true });
    };
    response.once("close", () => {
      if (!response.writableFinished) leave();
    });
    if (response.destroyed) leave();
    this.#interruption = onInterrupt(response, (failure) => {
      this.#interrupted = failure;
      this.#ending.abort();
    });
  }

  /** An attempt begins: what an earlier one was sent does not count any more. Throws where nobody waits for it. */
  begins(): void {
    this.#asked = false;
    if (this.#interrupted !== undefined) throw this.#interrupted;
    if (!this.gone.aborted) return;
    this.#ending.abort();
    throw new ClientGone("the client left before its answer");
  }

  /** The attempt's request is on its way to the vendor. */
  sent(): void {
    this.#asked = true;
  }

  /**
   * Whether a client that left owes what was asked of its vendor: it was asked, with a whole body, and has neither
   * answered nor failed in time.
   */
  isOwing({ code }: Pick<Failure, "code">): boolean {
    if (!this.#asked || this.#plan.broken?.aborted === true) return false;
    return this.ended.aborted || code === "upstream_timeout";
  }

  /** Whether it was the client that left. A body that ended because of that says so before the connection does. */
  get isClientGone(): boolean {
    const { broken } = this.#plan;
    return this.#left.signal.aborted || (broken?.aborted === true && broken.reason instanceof ClientGone);
  }

  /** Why the gateway itself ended the call, where it goes before the call is over. */
  get interrupted(): Failure | undefined {
    return this.#interrupted;
  }

  [Symbol.dispose](): void {
    this.#interruption[Symbol.dispose]();
    this.#seat?.[Symbol.dispose]();
  }
}
