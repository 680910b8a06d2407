import { asFailure, Failure } from "@modelgate/contracts";

/** The session that payments are made for. */
export interface PayingSession {
  /** Checks that the session's API key is still valid. Throws Failure. */
  check(): Promise<void>;
  /** Returns the number of responses that are running or requested; their settlement releases unused money. */
  underWay(): number;
  /** Lets client events continue that waited for money. */
  paid(): void;
  /** Reports a payment that has to wait: for a limit, or the store. */
  waits(failure: Failure): void;
  /** Reports a payment that failed. */
  unpaid(error: unknown): void;
}

/** Attempts to pay after a temporary failure, and the pause between them in ms where the failure names none. */
const [maxTries, pauseMs] = [10, 1_000];

/** Payments that a session's client events wait for. */
export class Payments {
  readonly #session: PayingSession;
  /** Number of payments that the client's next event waits for. */
  #waiting = 0;
  /** True while a slice is being reserved in addition to those of running responses. */
  #isHolding = false;
  /** True if there was no money for that slice; it is retried when a running response is settled. */
  #isBroke = false;
  #ended = false;

  constructor(session: PayingSession) {
    this.#session = session;
  }

  /** True while all client events wait. */
  get holdUp(): boolean {
    return this.#waiting > 0;
  }

  /** True while a payment is in progress. */
  get any(): boolean {
    return this.#waiting > 0 || this.#isHolding;
  }

  /** Retries a slice for which there was no money: a response has been settled. */
  settled(): void {
    this.#isBroke = false;
  }

  /** Stops payments: the session has ended, and outstanding amounts are charged when it closes. */
  end(): void {
    this.#ended = true;
  }

  /**
   * Pays before further client events are sent to the vendor. With `mayWait`, an account that cannot pay waits for a
   * running response.
   */
  payOn(pay: () => Promise<void>, { mayWait = false } = {}): void {
    if (this.#ended) return;
    this.#waiting++;
    void this.#pay(pay, mayWait).then(() => {
      this.#waiting--;
      this.#session.paid();
    });
  }

  /** Pays for another response while some are running; only response requests wait for it. */
  payForAnother(pay: () => Promise<void>): void {
    if (this.#isHolding || this.#isBroke) return;
    this.#isHolding = true;
    void this.#pay(pay, true).then(() => {
      this.#isHolding = false;
      this.#session.paid();
    });
  }

  /** Makes a payment. Never rejects: ends the session where the account cannot pay and must not wait. */
  async #pay(pay: () => Promise<void>, mayWait: boolean): Promise<void> {
    try {
      await this.#retried(pay);
    } catch (error) {
      const isUnpaid = error instanceof Failure && error.code === "insufficient_quota";
      if (mayWait && isUnpaid && this.#session.underWay() > 0) this.#isBroke = true;
      else this.#session.unpaid(error);
    }
  }

  /**
   * Makes a payment, with retries during a temporary limit or outage. Throws Failure where the account cannot pay, the
   * API key was disabled or has expired, or the store stays unavailable.
   */
  async #retried(pay: () => Promise<void>): Promise<void> {
    for (let tries = 1; !this.#ended; tries++) {
      try {
        await this.#session.check();
        return await pay();
      } catch (error) {
        const failure = asFailure(error);
        if (!failure.kind.retryable || tries >= maxTries) throw failure;
        if (tries === 1) this.#session.waits(failure);
        const forMs = (failure.retryAfterSeconds ?? 0) * 1_000 || pauseMs;
        await new Promise((resolve) => setTimeout(resolve, forMs).unref());
      }
    }
  }
}
