import { extendHold } from "@modelgate/accounts";
import { costOf, type Nanos, type Outcome, type UnitName, type Units } from "@modelgate/contracts";
import type { Tried, Way } from "@modelgate/channels";
import { capUnits, type Bill, type Expectation } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import type { Holds, SessionPrice } from "./holds.ts";
import { InTurn } from "./in-turn.ts";
import { PassedSince } from "./passed.ts";
import type { SessionCall } from "./session-call.ts";
import { SpeechAhead } from "./speech-ahead.ts";

/** A use that the vendor reported, or that was counted where it did not. */
export interface Use {
  readonly units: Units;
  readonly estimated: boolean;
  readonly outcome: Outcome;
  /** Units that were cut to what the use can have come to. */
  readonly capped?: readonly UnitName[] | undefined;
}

/** Money put aside for one response, under a call id of its own. */
interface Slice {
  readonly bill: Bill;
  readonly renewal: Disposable;
  held: Nanos;
}

/** Status of every event of a session: its protocol was switched. */
export const switched = 101;
/** Tokens of audio in a second, in and out, as vendors count them. */
const [inputTokensPerSecond, outputTokensPerSecond] = [10, 20];

/**
 * The money of a session's responses. Each response has a slice of its own, held before the vendor is asked for it and
 * settled by what the vendor reports; a slice that is held and not used yet is ready for the next one. Steps run one
 * after the other.
 */
export class SessionBill {
  readonly price: SessionPrice;
  /** What has passed since the last settlement. */
  readonly passed = new PassedSince();
  /** Speech that the vendor may answer before it says so. */
  readonly ahead = new SpeechAhead();
  readonly #deps: Deps;
  readonly #call: SessionCall;
  readonly #holds: Holds;
  /** Held for responses that have not begun, oldest first. */
  readonly #ready: Slice[] = [];
  /** Held for responses that are under way, by response id. */
  readonly #inUse = new Map<string, Slice>();
  readonly #steps = new InTurn();
  #closed = false;
  /** What a response cost last: the next one has its context again. */
  #lastCost: Nanos = 0n;

  constructor(deps: Deps, call: SessionCall, price: SessionPrice, holds: Holds) {
    this.#deps = deps;
    this.#call = call;
    this.#holds = holds;
    this.price = price;
  }

  /** Names the session to others: the call id of the slice that is held. */
  get callId(): string {
    return this.#current?.bill.callId ?? "";
  }

  /** Where the session went, and what was tried: for what was held before that was known. */
  went(way: Way | undefined, tried: readonly Tried[]): void {
    for (const { bill } of this.#ready) bill.went(way, tried);
  }

  /** Slices that are held for responses that have not begun. */
  get ready(): number {
    return this.#ready.length;
  }

  /**
   * Holds a slice, unless more than `reserved` are ready: so many wait for responses that were asked for already. Throws
   * Failure for what the client is told: no balance, no tokens left, store away.
   */
  hold(reserved = 0): Promise<void> {
    return this.#steps.run(async () => {
      if (!this.#closed && this.#ready.length <= reserved) this.#ready.push(await this.#open());
    });
  }

  /** Holds a slice for a response that the vendor began without one. Throws Failure as `hold` does. */
  holdFor(id: string): Promise<void> {
    return this.#steps.run(async () => {
      if (!this.#closed && !this.#inUse.has(id)) this.#inUse.set(id, this.#ready.shift() ?? (await this.#open()));
    });
  }

  /** A response begins, with the slice that is ready for it, and its latency counts from here; false without one. */
  responseBegun(id: string): boolean {
    if (this.#inUse.has(id)) return true;
    this.passed.begun();
    const slice = this.#ready.shift();
    if (slice === undefined) return false;
    this.#inUse.set(id, slice);
    slice.bill.begins();
    return true;
  }

  /** A response says something. */
  responseSpoke(): void {
    this.#current?.bill.firstByte();
  }

  /** Whether what was counted comes near what is held. */
  get isShort(): boolean {
    const slice = this.#current;
    return slice !== undefined && this.#likely() * 4n >= slice.held * 3n;
  }

  /** Extends the slice where it is short. Throws Failure where the account cannot cover more. */
  cover(): Promise<void> {
    return this.#steps.run(async () => {
      const slice = this.#current;
      if (slice === undefined || !this.isShort) return;
      const step = this.#expectation().upperNanos;
      const missing = this.#likely() - slice.held;
      const nanos = missing > 0n ? missing + step : step;
      const { accountId } = this.#call.caller;
      if (await extendHold(this.#deps.relay.redis, { accountId, callId: slice.bill.callId, nanos }))
        slice.held += nanos;
    });
  }

  /** Settles a response against its slice, under the slice's call id: one event, once. Never rejects. */
  settle(id: string, use: Use): Promise<void> {
    const { most } = this.passed;
    this.#lastCost = this.#costOf(capUnits(use.units, most).units);
    this.passed.settled();
    return this.#steps.run(async () => {
      const bill = this.#take(id) ?? (await this.#holds.holdNothing(this));
      await bill?.settle({ ...use, most, status: switched });
    });
  }

  /** A response that cost nothing gives its slice back to the next one. */
  responseFree(id: string): Promise<void> {
    return this.#steps.run(() => {
      const slice = this.#inUse.get(id);
      if (this.#inUse.delete(id) && slice !== undefined) this.#ready.unshift(slice);
      return Promise.resolve();
    });
  }

  /** No response is expected any more: what is held goes back. Never rejects. */
  letGo(): Promise<void> {
    this.#closed = true;
    return this.#steps.run(async () => {
      for (const { bill, renewal } of [...this.#inUse.values(), ...this.#ready.splice(0)]) {
        renewal[Symbol.dispose]();
        await this.#holds.release(bill.callId);
      }
      this.#inUse.clear();
    });
  }

  /** The slice of the response that began last, or the one that is ready for the next. */
  get #current(): Slice | undefined {
    return [...this.#inUse.values()].at(-1) ?? this.#ready[0];
  }

  /**
   * What a response would cost that ended now: it has the context of the last one again. So has each of the turns that
   * the vendor may answer by itself, and reads what was said until then: half of it, on average.
   */
  #likely(): Nanos {
    const turns = BigInt(this.ahead.turns(Date.now()));
    return (this.#costOf(this.passed.units) * (turns + 1n)) / 2n + this.#lastCost * turns;
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
    return { upperNanos: this.#costOf(units) + this.#likely(), floorNanos: 0n, floorUnits: {}, tokens: 1 };
  }

  async #open(): Promise<Slice> {
    const expected = this.#expectation();
    const bill = await this.#holds.hold(expected, this);
    const [{ accountId }, { callId }] = [this.#call.caller, bill];
    const renewal = this.#deps.relay.renewals.keep({ accountId, callId, progress: () => this.#progress(bill) });
    return { bill, renewal, held: expected.upperNanos };
  }

  #take(id: string): Bill | undefined {
    const slice = this.#inUse.get(id) ?? this.#ready.shift();
    this.#inUse.delete(id);
    slice?.renewal[Symbol.dispose]();
    return slice?.bill;
  }

  /** What is certain of a response that is under way, for its hold's floor. */
  #progress(bill: Bill) {
    const units = this.passed.spoken && this.#current?.bill === bill ? this.passed.units : {};
    return {
      floorNanos: this.#costOf(units),
      draft: bill.draft({ units, estimated: true, outcome: "failed", status: switched }),
    };
  }

  #costOf(units: Units): Nanos {
    return costOf(units, this.price.model.price, this.price.multiplier);
  }
}
