import { extendHold } from "@modelgate/accounts";
import { costOf, type Nanos, type Units } from "@modelgate/contracts";
import type { Bill } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import { nothing, type HeldFor, type Holds } from "./holds.ts";
import { InTurn } from "./in-turn.ts";
import { switched, type Use } from "./session-bill.ts";
import type { SessionCall } from "./session-call.ts";
import { Untranscribed } from "./untranscribed.ts";

/** A use of the model that writes down what the client says. */
export type TranscriptUse = Use & HeldFor;

/** Money put aside for speech that is not written down yet. */
interface Slice {
  readonly bill: Bill;
  readonly renewal: Disposable;
  readonly for: HeldFor;
  held: Nanos;
}

/** Most tokens that a second of speech is heard as, and written as. */
const [mostHeardTokens, mostWrittenTokens] = [25, 12];

/**
 * The money of the transcripts of what a client says: each is a call of the model that writes it, beside the session's
 * own. Money for speech is held before it is sent, and each transcript is settled by what the vendor reports. Steps run
 * one after the other.
 */
export class TranscriptBill {
  /** Speech that may still be written down. */
  readonly speech = new Untranscribed();
  readonly #deps: Deps;
  readonly #call: SessionCall;
  readonly #holds: Holds;
  readonly #owed: TranscriptUse[] = [];
  readonly #steps = new InTurn();
  #slice: Slice | undefined;
  #closed = false;

  constructor(deps: Deps, call: SessionCall, holds: Holds) {
    this.#deps = deps;
    this.#call = call;
    this.#holds = holds;
  }

  /** Whether the speech costs more than is held for it. */
  isShort(by: HeldFor): boolean {
    const { seconds } = this.speech;
    if (seconds === 0) return false;
    const held = this.#slice === undefined || !isFor(this.#slice, by) ? 0n : this.#slice.held;
    return this.#costOf(seconds, by) > held;
  }

  /** Holds more where it is short, for some speech to come too. Throws Failure where the account cannot pay for it. */
  cover(by: HeldFor): Promise<void> {
    return this.#steps.run(async () => {
      if (!this.#closed && this.isShort(by)) await this.#cover(by);
    });
  }

  /** Remembers a transcript until it is paid; when the session is over at the latest. */
  owe(use: TranscriptUse): void {
    this.#owed.push(use);
  }

  /**
   * Charges what is owed, and holds again for the speech that is left. Throws Failure where the account cannot pay, or
   * the store is away.
   */
  pay(): Promise<void> {
    return this.#steps.run(async () => {
      for (let [use] = this.#owed; use !== undefined; [use] = this.#owed) {
        const bill = this.#take(use) ?? (await this.#holds.hold({ ...nothing, upperNanos: this.#priceOf(use) }, use));
        this.#owed.shift();
        await bill.settle({ ...use, status: switched });
        if (!this.#closed && this.isShort(use)) await this.#cover(use);
      }
    });
  }

  /** The session is over, or never was: what is held goes back, and what is owed is paid. Never rejects. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#steps.run(async () => {
      for (const use of this.#owed.splice(0)) {
        const bill = this.#take(use) ?? (await this.#holds.holdNothing(use));
        await bill?.settle({ ...use, status: switched });
      }
      await this.#release();
    });
  }

  async #cover(by: HeldFor): Promise<void> {
    const { relay, slice } = this.#deps;
    const upperNanos = this.#costOf(this.speech.seconds + slice.audioSeconds, by);
    const { accountId } = this.#call.caller;
    const current = this.#slice;
    if (current !== undefined && isFor(current, by)) {
      const nanos = upperNanos - current.held;
      if (await extendHold(relay.redis, { accountId, callId: current.bill.callId, nanos })) current.held = upperNanos;
      return;
    }
    const bill = await this.#holds.hold({ ...nothing, upperNanos }, by);
    await this.#release();
    const { callId } = bill;
    const progress = () => ({ floorNanos: 0n, draft: bill.draft(unknownEnd) });
    this.#slice = { bill, renewal: relay.renewals.keep({ accountId, callId, progress }), for: by, held: upperNanos };
  }

  async #release(): Promise<void> {
    const slice = this.#slice;
    this.#slice = undefined;
    slice?.renewal[Symbol.dispose]();
    if (slice !== undefined) await this.#holds.release(slice.bill.callId);
  }

  /** The slice's bill, where it is held for the model of this use. */
  #take(use: HeldFor): Bill | undefined {
    const slice = this.#slice;
    if (slice === undefined || !isFor(slice, use)) return undefined;
    this.#slice = undefined;
    slice.renewal[Symbol.dispose]();
    return slice.bill;
  }

  /** The most that so many seconds of speech can cost, rounded up as vendors do: by the second, or by the token. */
  #costOf(seconds: number, { price: { model, multiplier } }: HeldFor): Nanos {
    const requests = Math.max(1, this.speech.turns);
    const rounded = Math.ceil(seconds) + requests;
    const units: Units = model.price.has("seconds")
      ? { requests, seconds: rounded }
      : { requests, inputAudioTokens: rounded * mostHeardTokens, outputTokens: rounded * mostWrittenTokens };
    return costOf(units, model.price, multiplier);
  }

  #priceOf({ units, price: { model, multiplier } }: TranscriptUse): Nanos {
    return costOf(units, model.price, multiplier);
  }
}

/** How a transcript ends that a dead service leaves behind. */
const unknownEnd = { units: {}, estimated: true, outcome: "failed", status: switched } as const;

function isFor({ for: held }: Slice, by: HeldFor): boolean {
  return held.by === by.by && held.price.model === by.price.model && held.price.multiplier === by.price.multiplier;
}
