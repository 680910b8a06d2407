import { asFailure, Failure } from "@modelgate/contracts";

/** The session that payments are made for. */
export interface PayingSession {
  /** Checks that the session's key still allows it. Throws Failure. */
  check(): Promise<void>;
  /** Counts responses that are under way or requested: their settlement gives back what they did not need. */
  underWay(): number;
  /** Lets client events go on that waited for money. */
  paid(): void;
  /** Reports a payment that has to wait: for a limit, or the store. */
  waits(failure: Failure): void;
  /** Reports a payment that cannot be made. */
  unpaid(error: unknown): void;
}

/** Tries to pay after a failure that may pass, and the pause between them where it does not say its own. */
const [maxTries, pauseMs] = [10, 1_000];

/** Payments that events of a session's client wait for. */
export class Payments {
  readonly #session: PayingSession;
  /** Payments that the client's next event waits for. */
  #waiting = 0;
  /** A slice is being held beside those of responses that are under way. */
  #isHolding = false;
  /** There was no money for it: it is tried again when one of those is settled. */
  #isBroke = false;
  #ended = false;

  constructor(session: PayingSession) {
    this.#session = session;
  }

  /** True while every event of the client's waits. */
  get holdUp(): boolean {
    return this.#waiting > 0;
  }

  /** True while money is being held. */
  get any(): boolean {
    return this.#waiting > 0 || this.#isHolding;
  }

  /** Tries again what there was no money for: a response is done. */
  settled(): void {
    this.#isBroke = false;
  }

  /** Pays for nothing more: the session has ended, and pays what it owes at its close. */
  end(): void {
    this.#ended = true;
  }

  /**
   * Pays before anything more of the client's goes to the vendor. With `mayWait`, an account that cannot pay waits for a
   * response that is under way.
   */
  payOn(pay: () => Promise<void>, { mayWait = false } = {}): void {
    if (this.#ended) return;
    this.#waiting++;
    void this.#pay(pay, mayWait).then(() => {
      this.#waiting--;
      this.#session.paid();
    });
  }

  /** Pays for another response while some are under way; only requests for responses wait for it. */
  payForAnother(pay: () => Promise<void>): void {
    if (this.#isHolding || this.#isBroke) return;
    this.#isHolding = true;
    void this.#pay(pay, true).then(() => {
      this.#isHolding = false;
      this.#session.paid();
    });
  }

  /** Never rejects: where the account cannot pay, and need not wait, the session ends. */
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
   * Pays, through a limit or an outage that passes. Throws Failure where the account cannot pay, the key was disabled or
   * has expired, or the store stays away.
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
