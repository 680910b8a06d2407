import { asFailure, Failure } from "@modelgate/contracts";

/** Operations of the session that payments call. */
export interface PayingSession {
  /** Checks that the session's API key is still valid. Throws Failure. */
  checkKey(): Promise<void>;
  /** Returns the number of responses that are requested, running or being settled. Their settlement releases money. */
  openResponses(): number;
  /** Sends the client events that waited for money. */
  resumeEvents(): void;
  /** Tells the client that a payment has to wait for a limit or the store. */
  reportPaymentDelay(failure: Failure): void;
  /** Ends the session because a payment failed. */
  endUnpaid(error: unknown): void;
}

/** Maximum attempts of a payment with temporary failures, and the pause between them in ms if a failure names none. */
const [maxTries, pauseMs] = [10, 1_000];

/** Payments that the client events of a session wait for. */
export class Payments {
  readonly #session: PayingSession;
  /** Number of payments that the client's next event waits for. */
  #waiting = 0;
  /** True while a slice for a parallel response is being reserved. */
  #isHolding = false;
  /** True if the balance was too low for a parallel response. The payment is retried after the next settlement. */
  #lacksMoney = false;
  #ended = false;

  constructor(session: PayingSession) {
    this.#session = session;
  }

  /** True while all client events except cancellations wait for a payment. */
  get blocksEvents(): boolean {
    return this.#waiting > 0;
  }

  /** True while a payment is in progress. */
  get isPaying(): boolean {
    return this.#waiting > 0 || this.#isHolding;
  }

  /** Allows another attempt at a slice that the account could not pay. */
  responseSettled(): void {
    this.#lacksMoney = false;
  }

  /** Stops payments because the session has ended. */
  end(): void {
    this.#ended = true;
  }

  /**
   * Pays before further client events are sent to the vendor. If the account cannot pay, the session ends. With
   * `mayWait`, it continues while a response is open, because the settlement of the response releases money.
   */
  payBeforeEvents(pay: () => Promise<void>, { mayWait = false } = {}): void {
    if (this.#ended) return;
    this.#waiting++;
    void this.#pay(pay, mayWait).then(() => {
      this.#waiting--;
      this.#session.resumeEvents();
    });
  }

  /** Pays for another response while one is running. Only response requests wait for this payment. */
  payForParallelResponse(pay: () => Promise<void>): void {
    if (this.#isHolding || this.#lacksMoney) return;
    this.#isHolding = true;
    void this.#pay(pay, true).then(() => {
      this.#isHolding = false;
      this.#session.resumeEvents();
    });
  }

  /** Makes a payment. Never rejects: ends the session if the account cannot pay and the payment must not wait. */
  async #pay(pay: () => Promise<void>, mayWait: boolean): Promise<void> {
    try {
      await this.#payWithRetries(pay);
    } catch (error) {
      const isUnpaid = error instanceof Failure && error.code === "insufficient_quota";
      if (mayWait && isUnpaid && this.#session.openResponses() > 0) this.#lacksMoney = true;
      else this.#session.endUnpaid(error);
    }
  }

  /** Makes a payment, with retries during a temporary limit or outage. Throws Failure if it does not succeed. */
  async #payWithRetries(pay: () => Promise<void>): Promise<void> {
    for (let tries = 1; !this.#ended; tries++) {
      try {
        await this.#session.checkKey();
        return await pay();
      } catch (error) {
        const failure = asFailure(error);
        if (!failure.kind.retryable || tries >= maxTries) throw failure;
        if (tries === 1) this.#session.reportPaymentDelay(failure);
        const forMs = (failure.retryAfterSeconds ?? 0) * 1_000 || pauseMs;
        await new Promise((resolve) => setTimeout(resolve, forMs).unref());
      }
    }
  }
}
