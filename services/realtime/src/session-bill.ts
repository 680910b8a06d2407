import { extendHold, releaseHold } from "@modelgate/accounts";
import { asFailure, costOf, tokensIn, type Failure, type Nanos, type Outcome, type Units } from "@modelgate/contracts";
import type { CatalogModel } from "@modelgate/catalog";
import type { Way } from "@modelgate/channels";
import type { UpgradeCall } from "@modelgate/platform";
import { Bill, type Expectation } from "@modelgate/relay";
import { roughUnits } from "@modelgate/wires";
import type { Deps } from "./deps.ts";

/** What a session's use costs. */
export interface SessionPrice {
  readonly model: CatalogModel;
  /** The group's price multiplier. */
  readonly multiplier: number;
}

/** A use that the vendor reported, or that was counted where it did not. */
export interface Use {
  readonly units: Units;
  readonly estimated: boolean;
  readonly outcome: Outcome;
}

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
/** Tokens that are counted between two looks at whether the hold still covers them. */
const lookEveryTokens = 256;
/** Tries to write an event for which no money is held, and the pause between them. */
const [emptyTries, emptyPauseMs] = [20, 500];

/**
 * The money of a session: at any time at most one slice is held, every use that the vendor reports is settled against
 * it, and the next slice is held before anything more is asked of the vendor. Steps run one after the other.
 */
export class SessionBill {
  readonly #deps: Deps;
  readonly #call: UpgradeCall;
  readonly price: SessionPrice;
  #slice: Slice | undefined;
  #steps: Promise<unknown> = Promise.resolve();
  #way: Way | undefined;
  #attempts = 0;
  #closed = false;
  /** What a response cost last: the next one has its context again. */
  #lastCost: Nanos = 0n;
  #passed = { audioIn: 0, textIn: 0, audioOut: 0, textOut: 0 };
  #looked = 0;

  constructor(deps: Deps, call: UpgradeCall, price: SessionPrice) {
    this.#deps = deps;
    this.#call = call;
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
    this.#way = way;
    this.#attempts = attempts;
    this.#slice?.bill.went(way, attempts);
  }

  /** A response begins: its latency counts from here. */
  responseBegun(): void {
    this.#slice?.bill.begins();
  }

  /** Counts what passes to the vendor. */
  heard(audioBytes: number, textBytes: number): void {
    this.#passed.audioIn += audioBytes;
    this.#passed.textIn += textBytes;
  }

  /** Counts what passes to the client; true where it is time to look whether the slice still covers it. */
  spoke(audioBytes: number, textBytes: number): boolean {
    this.#slice?.bill.firstByte();
    this.#passed.audioOut += audioBytes;
    this.#passed.textOut += textBytes;
    const tokens = tokensIn(this.counted());
    if (tokens < this.#looked + lookEveryTokens) return false;
    this.#looked = tokens;
    return true;
  }

  /** What passed since the last settlement, roughly. */
  counted(): Units {
    return roughUnits(this.#passed);
  }

  /** Extends the slice where what was counted comes near it. Throws Failure where the account cannot cover more. */
  cover(): Promise<void> {
    return this.#inTurn(async () => {
      const slice = this.#slice;
      if (slice === undefined) return;
      const likely = this.#costOf(this.counted()) + this.#lastCost;
      if (likely * 4n < slice.held * 3n) return;
      const nanos = this.#expectation().upperNanos;
      const { accountId } = this.#call.caller;
      if (await extendHold(this.#deps.relay.redis, { accountId, callId: slice.bill.callId, nanos }))
        slice.held += nanos;
    });
  }

  /** Settles a use against the slice, under the slice's call id: one event, once. Never rejects. */
  settle({ units, estimated, outcome }: Use): Promise<void> {
    this.#lastCost = this.#costOf(units);
    this.#passed = { audioIn: 0, textIn: 0, audioOut: 0, textOut: 0 };
    this.#looked = 0;
    return this.#inTurn(async () => {
      const slice = this.#slice ?? (await this.#openEmpty());
      this.#slice = undefined;
      slice?.renewal[Symbol.dispose]();
      await slice?.bill.settle({ units, estimated, outcome, status: switched });
    });
  }

  /** The session is over, or never was: what is still held goes back. Never rejects. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#inTurn(async () => {
      const slice = this.#slice;
      if (slice === undefined) return;
      this.#slice = undefined;
      slice.renewal[Symbol.dispose]();
      await this.#release(slice.bill.callId);
    });
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
    const { relay } = this.#deps;
    const bill = new Bill(relay, this.#call, this.price, expected);
    bill.went(this.#way, this.#attempts);
    try {
      await bill.hold();
    } catch (error) {
      // A store that did not answer may have held all the same.
      if (asFailure(error).cause !== undefined) void this.#release(bill.callId);
      throw error;
    }
    const { accountId } = this.#call.caller;
    const renewal = relay.renewals.keep({ accountId, callId: bill.callId, progress: () => this.#progress(bill) });
    return { bill, renewal, held: expected.upperNanos };
  }

  /** A hold of nothing, for a use that came after the account could not pay on: it is charged as far as it can be. */
  async #openEmpty(): Promise<Slice | undefined> {
    for (let tries = 1; tries <= emptyTries; tries++) {
      try {
        return await this.#open({ upperNanos: 0n, floorNanos: 0n, floorUnits: {}, tokens: 0 });
      } catch (error) {
        const failure: Failure = asFailure(error);
        if (tries === emptyTries)
          this.#deps.relay.log.error({ err: failure, requestId: this.#call.requestId }, "a response is left unbilled");
        else await new Promise((resolve) => setTimeout(resolve, emptyPauseMs));
      }
    }
    return undefined;
  }

  /** What is certain of a response that is under way, for its hold's floor. */
  #progress(bill: Bill) {
    const counted = this.counted();
    const spoken = (counted.outputTokens ?? 0) + (counted.outputAudioTokens ?? 0) > 0;
    const units = spoken ? counted : {};
    return {
      floorNanos: this.#costOf(units),
      draft: bill.draft({ units, estimated: true, outcome: "failed", status: switched }),
    };
  }

  async #release(callId: string): Promise<void> {
    const { accountId, tokenId } = this.#call.caller;
    await releaseHold(this.#deps.relay.redis, { accountId, tokenId, callId }).catch((error: unknown) =>
      this.#deps.relay.log.warn({ err: error, callId }, "a hold is left to the sweep"),
    );
  }

  #costOf(units: Units): Nanos {
    return costOf(units, this.price.model.price, this.price.multiplier);
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#steps.then(step);
    this.#steps = done.catch(() => undefined);
    return done;
  }
}
