import { asFailure, type Failure } from "@modelgate/contracts";
import { ClientGone, type AnswerSink } from "@modelgate/platform";
import type { RelayDeps } from "../deps.ts";
import type { HeardOutSeat } from "./heard-out.ts";
import type { CallPlan } from "./plan.ts";

/** The status of a client that left before its answer, as nginx has it: for events and logs. */
export const clientLeft = 499;

/** Watches whether a call's client is still there, and ends what its leaving, or the gateway's, ends. Dispose it when the call is over. */
export class Leaving implements Disposable {
  /** Aborted when the client leaves, or its body is wrong. */
  readonly gone: AbortSignal;
  /** Aborted when the exchange with the vendor is to end: with the client, or later where the vendor is heard out. */
  readonly ended: AbortSignal;
  readonly #broken: AbortSignal | undefined;
  readonly #left = new AbortController();
  readonly #ending = new AbortController();
  readonly #watching: Disposable;
  #seat: HeardOutSeat | undefined;
  #interrupted: Failure | undefined;
  #asked = false;

  constructor(
    { heardOut }: Pick<RelayDeps, "heardOut">,
    answer: Pick<AnswerSink, "closed" | "watch">,
    { broken, hearsOut }: Pick<CallPlan, "broken" | "hearsOut">,
  ) {
    this.#broken = broken;
    this.gone = broken === undefined ? this.#left.signal : AbortSignal.any([this.#left.signal, broken]);
    this.ended = broken === undefined ? this.#ending.signal : AbortSignal.any([this.#ending.signal, broken]);
    const leave = (): void => {
      this.#left.abort();
      this.#seat = hearsOut === true && this.#asked && !this.ended.aborted ? heardOut.take() : undefined;
      if (this.#seat === undefined) this.#ending.abort();
      else this.#seat.signal.addEventListener("abort", () => this.#ending.abort(), { once: true });
    };
    this.#watching = answer.watch({
      closed(whole) {
        if (!whole) leave();
      },
      interrupted: (failure) => {
        this.#interrupted = failure;
        this.#ending.abort();
      },
    });
    if (answer.closed) leave();
  }

  /** Begins an attempt: what an earlier one was sent does not count any more. Throws if the client has left. */
  begins(): void {
    this.#asked = false;
    if (this.#interrupted !== undefined) throw this.#interrupted;
    if (!this.gone.aborted) return;
    this.#ending.abort();
    throw new ClientGone("the client left before its answer");
  }

  /** Notes that the attempt's request is on its way to the vendor. */
  sent(): void {
    this.#asked = true;
  }

  /**
   * Whether a client that left owes what was asked of its vendor: it was asked, with a whole body, and has neither
   * answered nor failed in time.
   */
  isOwing({ code }: Pick<Failure, "code">): boolean {
    if (!this.#asked || this.#broken?.aborted === true) return false;
    return this.ended.aborted || code === "upstream_timeout";
  }

  /** Whether it was the client that left. A body that ended because of that says so before the connection does. */
  get isClientGone(): boolean {
    const broken = this.#broken;
    return this.#left.signal.aborted || (broken?.aborted === true && broken.reason instanceof ClientGone);
  }

  /** Why the call fails, whatever came of its vendor meanwhile: the gateway goes, or the client's body failed. */
  get failure(): Failure | undefined {
    if (this.#interrupted !== undefined || this.#broken?.aborted !== true) return this.#interrupted;
    return asFailure(this.#broken.reason);
  }

  [Symbol.dispose](): void {
    this.#watching[Symbol.dispose]();
    this.#seat?.[Symbol.dispose]();
  }
}
