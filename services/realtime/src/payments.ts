import { Failure } from "@modelgate/contracts";
import type { Deps } from "./deps.ts";
import { holdOn } from "./hold-on.ts";

/** What payments of a session need to know, and whom they tell. */
export interface PaymentsParts {
  readonly tokenId: string;
  /** Whether the session has ended: nothing is held for it any more. */
  readonly ended: () => boolean;
  /** Responses that are under way or asked for: their settlement gives back what they did not need. */
  readonly underWay: () => number;
  /** Events of the client's that waited for money may go by now. */
  readonly paid: () => void;
  /** The money does not come at once: the client is told why it waits. */
  readonly waits: (failure: Failure) => void;
  /** The money does not come. */
  readonly unpaid: (error: unknown) => void;
}

/** Payments that events of a session's client wait for. */
export class Payments {
  readonly #deps: Deps;
  readonly #parts: PaymentsParts;
  /** Payments that the client's next event waits for. */
  #waiting = 0;
  /** A slice is being held beside those of responses that are under way. */
  #isHolding = false;
  /** There was no money for it: it is tried again when one of those is settled. */
  #isBroke = false;

  constructor(deps: Deps, parts: PaymentsParts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  /** Whether every event of the client's waits. */
  get holdUp(): boolean {
    return this.#waiting > 0;
  }

  /** Whether money is being held. */
  get any(): boolean {
    return this.#waiting > 0 || this.#isHolding;
  }

  /** A response is done: there may be money again. */
  settled(): void {
    this.#isBroke = false;
  }

  /**
   * Lets nothing more of the client's to the vendor until this is paid; a session that has ended pays at its close. With
   * `mayWait`, an account that cannot pay waits for a response that is under way.
   */
  payOn(pay: () => Promise<void>, { mayWait = false } = {}): void {
    if (this.#parts.ended()) return;
    this.#waiting++;
    void this.#pay(pay, mayWait).then(() => {
      this.#waiting--;
      this.#parts.paid();
    });
  }

  /** Pays for another response while some are under way; only requests for responses wait for it. */
  payForAnother(pay: () => Promise<void>): void {
    if (this.#isHolding || this.#isBroke) return;
    this.#isHolding = true;
    void this.#pay(pay, true).then(() => {
      this.#isHolding = false;
      this.#parts.paid();
    });
  }

  /** Never rejects: where the account cannot pay, and need not wait, the session ends. */
  async #pay(pay: () => Promise<void>, mayWait: boolean): Promise<void> {
    const { tokenId, ended, underWay, waits, unpaid } = this.#parts;
    try {
      await holdOn(this.#deps, { tokenId, pay, ended, waits });
    } catch (error) {
      const isUnpaid = error instanceof Failure && error.code === "insufficient_quota";
      if (mayWait && isUnpaid && underWay() > 0) this.#isBroke = true;
      else unpaid(error);
    }
  }
}
