import { extendHold } from "@modelgate/accounts";
import { costOf, type Nanos, type Outcome, type Units } from "@modelgate/contracts";
import type { Way } from "@modelgate/channels";
import type { Bill, Expectation } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import { Holds, nothing, type HeldFor, type SessionPrice } from "./holds.ts";
import { PassedSince } from "./passed.ts";
import type { SessionCall } from "./session-call.ts";

/** A use that the vendor reported, or that was counted where it did not. */
export interface Use {
  readonly units: Units;
  readonly estimated: boolean;
  readonly outcome: Outcome;
}

/** A use of another model than the session's: what it cost is known when it is over, and nothing was put aside. */
export type OwedUse = Use & HeldFor;

/** Money put aside for the next response, under a call id of its own. */
interface Slice {
  readonly bill: Bill;
  readonly renewal: Disposable;
  held: Nanos;
}

/** Status of every event of a session: its protocol was switched. */
const switched = 101;
/** Tokens of audio in a second, in and out, as vendors count them. */
const [inputTokensPerSecond, outputTokensPerSecond] = [10, 20];

/**
 * The money of a session: at any time at most one slice is held, every response that the vendor reports is settled
 * against it, and the next slice is held before anything more is asked of the vendor. What other models did for the
 * session is owed beside it, each use a call of its own. Steps run one after the other.
 */
export class SessionBill {
  readonly price: SessionPrice;
  /** What has passed since the last settlement. */
  readonly passed = new PassedSince();
  readonly #deps: Deps;
  readonly #call: SessionCall;
  readonly #holds: Holds;
  readonly #owed: OwedUse[] = [];
  #slice: Slice | undefined;
  #steps: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** What a response cost last: the next one has its context again. */
  #lastCost: Nanos = 0n;

  constructor(deps: Deps, call: SessionCall, price: SessionPrice) {
    this.#deps = deps;
    this.#call = call;
    this.#holds = new Holds(deps, call);
    this.price = price;
  }

  /** Names the session to others: the call id of the slice that is held. */
  get callId(): string {
    return this.#slice?.bill.callId ?? "";
  }

  /** Holds the next slice. Throws Failure for what the client is told: no balance, no tokens left, store away. */
  hold(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#closed) this.#slice ??= await this.#open(this.#expectation());
    });
  }

  /** Where the session went, after how many attempts. */
  went(way: Way | undefined, attempts: number): void {
    this.#holds.went(way, attempts);
    this.#slice?.bill.went(way, attempts);
  }

  /** A response begins: its latency counts from here. */
  responseBegun(): void {
    this.#slice?.bill.begins();
  }

  /** A response says something. */
  responseSpoke(): void {
    this.#slice?.bill.firstByte();
  }

  /** Whether what was counted comes near what is held. */
  get isShort(): boolean {
    return this.#slice !== undefined && this.#likely() * 4n >= this.#slice.held * 3n;
  }

  /** Extends the slice where it is short. Throws Failure where the account cannot cover more. */
  cover(): Promise<void> {
    return this.#inTurn(async () => {
      const slice = this.#slice;
      if (slice === undefined || !this.isShort) return;
      const step = this.#expectation().upperNanos;
      const missing = this.#likely() - slice.held;
      const nanos = missing > 0n ? missing + step : step;
      const { accountId } = this.#call.caller;
      if (await extendHold(this.#deps.relay.redis, { accountId, callId: slice.bill.callId, nanos }))
        slice.held += nanos;
    });
  }

  /** Settles a response against the slice, under the slice's call id: one event, once. Never rejects. */
  settle(use: Use): Promise<void> {
    this.#lastCost = this.#costOf(use.units);
    this.passed.settled();
    return this.#inTurn(async () => {
      const bill = this.#takeSlice() ?? (await this.#holds.holdNothing(this));
      await bill?.settle({ ...use, status: switched });
    });
  }

  /** Remembers a use of another model until it is paid; when the session is over at the latest. */
  owe(use: OwedUse): void {
    this.#owed.push(use);
  }

  /** Charges what is owed, beside the slice. Throws Failure where the account cannot pay, or the store is away. */
  payOwed(): Promise<void> {
    return this.#inTurn(async () => {
      for (let [use] = this.#owed; use !== undefined; [use] = this.#owed) {
        const upperNanos = this.#costOf(use.units, use.price);
        const bill = await this.#holds.hold({ ...nothing, upperNanos }, use);
        this.#owed.shift();
        await bill.settle({ ...use, status: switched });
      }
    });
  }

  /** The session is over, or never was: what is still held goes back, and pays what is owed. Never rejects. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#inTurn(async () => {
      const bill = this.#takeSlice();
      if (bill !== undefined) await this.#holds.release(bill.callId);
      for (const use of this.#owed.splice(0))
        await (await this.#holds.holdNothing(use))?.settle({ ...use, status: switched });
    });
  }

  /** What a response would cost that ended now: it has the context of the last one again. */
  #likely(): Nanos {
    return this.#costOf(this.passed.units) + this.#lastCost;
  }

  #expectation(): Expectation {
    const { audioSeconds, textTokens } = this.#deps.slice;
    const units: Units = {
      requests: 1,
      inputTokens: textTokens,
      outputTokens: textTokens,
      inputAudioTokens: audioSeconds * inputTokensPerSecond,
      outputAudioTokens: audioSeconds * outputTokensPerSecond,
    };
    // A token's minute is charged when it is known what was used; until then it must not be in debt.
    return { upperNanos: this.#costOf(units) + this.#lastCost, floorNanos: 0n, floorUnits: {}, tokens: 1 };
  }

  async #open(expected: Expectation): Promise<Slice> {
    const bill = await this.#holds.hold(expected, this);
    const [{ accountId }, { callId }] = [this.#call.caller, bill];
    const renewal = this.#deps.relay.renewals.keep({ accountId, callId, progress: () => this.#progress(bill) });
    return { bill, renewal, held: expected.upperNanos };
  }

  #takeSlice(): Bill | undefined {
    const slice = this.#slice;
    this.#slice = undefined;
    slice?.renewal[Symbol.dispose]();
    return slice?.bill;
  }

  /** What is certain of a response that is under way, for its hold's floor. */
  #progress(bill: Bill) {
    const units = this.passed.spoken ? this.passed.units : {};
    return {
      floorNanos: this.#costOf(units),
      draft: bill.draft({ units, estimated: true, outcome: "failed", status: switched }),
    };
  }

  #costOf(units: Units, { model, multiplier }: SessionPrice = this.price): Nanos {
    return costOf(units, model.price, multiplier);
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#steps.then(step);
    this.#steps = done.catch(() => undefined);
    return done;
  }
}
