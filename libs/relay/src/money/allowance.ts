import { setTimeout as pause } from "node:timers/promises";
import { asFailure, type Failure } from "@modelgate/contracts";
import type { HeldOutput } from "./expect.ts";
import type { Meter } from "./meter.ts";
import { minBytesPerToken } from "./tokens.ts";

/** The smallest step that a hold is extended by. */
const minStepTokens = 64;
/** Maximum tries at a store that is away, and the pause between: a stream that has run dry waits so long. */
const [storeTries, storePauseMs] = [20, 250];

/**
 * A stream ends where its words are surely more than its bound of tokens: so many times as many by the tokenizer that
 * counts here, since others cut some texts coarser, and a few more.
 */
const beyondBound = { times: 3, tokens: 64 } as const;

/** Marks a stream that goes no further although it could be paid for: its vendor wrote more than the request allows. */
export const wroteBeyondBound = "beyond-bound";

/** Reason why a stream goes no further: it is not paid for, the store is away, or it is longer than the request allows. */
export type StreamStop = Failure | typeof wroteBeyondBound;

/** Options of a stream's allowance. */
export interface AllowanceOptions {
  readonly output: HeldOutput;
  readonly meter: Meter;
  /** Extra output tokens allowed beyond the bound once the stream has shown reasoning; absent: none. */
  readonly thoughtTokens?: number;
  /**
   * Holds more, so that output of `to` tokens is covered where `from` are; false where the hold is gone. Throws Failure
   * insufficient_quota where the account, its group or its token cannot cover it, another where the store is away.
   */
  extend(from: number, to: number): Promise<boolean>;
}

/**
 * Tracks how much of a stream its hold covers, in bytes of text (an upper bound on tokens), so that a frame costs one
 * comparison. When the bytes are used up the words are read, and when about half a step is left the hold is extended
 * while the stream goes on. Dispose it with the stream.
 */
export class Allowance implements Disposable {
  readonly #options: AllowanceOptions;
  /** Output tokens that the hold covers. */
  #paid: number;
  /** Bytes that may pass before the next check. */
  #bytes = 0;
  /** Maximum tokens of the frame that was checked last. */
  #wanted = 0;
  #step: number;
  #extending: Promise<void> | undefined;
  #refused: Failure | undefined;
  #thinks = false;
  #over = false;

  constructor(options: AllowanceOptions) {
    this.#options = options;
    this.#paid = options.output.first;
    this.#step = options.output.step;
  }

  /** Returns whether a frame is surely paid for, whatever is in it. */
  covers(bytes: number): boolean {
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }

  /** Returns whether a frame with so many bytes of words is paid for; begins to extend the hold where it is time. */
  admits(wordBytes: number, isThought = false): boolean {
    this.#thinks ||= isThought;
    this.#wanted = Math.ceil(wordBytes / minBytesPerToken);
    if (!this.#check()) return false;
    this.#bytes = Math.max(0, this.#bytes - wordBytes);
    return true;
  }

  /**
   * Waits until the frame that was not admitted may pass; else returns why it may not. Money is requested once more, and
   * what came is counted by the tokenizer, before a stream is given up.
   */
  async more(): Promise<StreamStop | undefined> {
    for (;;) {
      if (this.#paid >= this.#options.output.most) {
        await this.#options.meter.outputTokens();
        return this.#over || this.#check() ? undefined : wroteBeyondBound;
      }
      await (this.#extending ?? this.#extend());
      if (this.#over || this.#check()) return undefined;
      const refused = this.#refusal;
      if (refused === undefined) continue;
      if (refused.code === "insufficient_quota") await this.#options.meter.outputTokens();
      return this.#check() ? undefined : refused;
    }
  }

  [Symbol.dispose](): void {
    this.#over = true;
  }

  /** Read anew after every wait. */
  get #refusal(): Failure | undefined {
    return this.#refused;
  }

  /** Finds out how far the stream may go; whether the wanted frame is within that. */
  #check(): boolean {
    const { output, meter } = this.#options;
    if (this.#paid >= output.most) return this.#checkBound();
    const left = this.#paid - meter.maxTokens - this.#wanted;
    const early = left - output.step / 2;
    let isQuiet = this.#extending === undefined && this.#refused === undefined;
    if (early < output.step / 8 && isQuiet) {
      void this.#extend();
      isQuiet = false;
    }
    // While nothing is under way, the next check is in time for the next extension.
    this.#bytes = Math.max(0, Math.floor((isQuiet ? early : left) + this.#wanted) * minBytesPerToken);
    return left >= 0;
  }

  /** The same where all is paid for: only a vendor that does not keep to its bound gets further. */
  #checkBound(): boolean {
    const { output, meter, thoughtTokens = 0 } = this.#options;
    const most = output.most * beyondBound.times + beyondBound.tokens + (this.#thinks ? thoughtTokens : 0);
    // The frame itself is not counted: a whole answer in one frame may have many bytes a token.
    const left = most - meter.maxShownTokens;
    // Half of it, so that thoughts are seen long before words are counted as being too many.
    this.#bytes = Math.max(0, Math.floor((left * minBytesPerToken) / 2));
    return left >= 0;
  }

  #extend(): Promise<void> {
    this.#refused = undefined;
    this.#extending = this.#grow().then((refused) => {
      this.#refused = refused;
      this.#extending = undefined;
      // The next chunk finds out how far the stream may go now.
      this.#bytes = 0;
    });
    return this.#extending;
  }

  /** Extends the hold by a step, or by the largest part of one that can be had; else returns why it cannot. */
  async #grow(): Promise<Failure | undefined> {
    const { output, extend } = this.#options;
    for (let tries = 1; !this.#over;) {
      const to = Math.min(this.#paid + this.#step, output.most);
      try {
        // Where the hold is gone it was lost with its Redis: the call goes on, and its true cost is charged at its end.
        await extend(this.#paid, to);
        this.#paid = to;
        this.#step = Math.min(this.#step * 2, output.step);
        return undefined;
      } catch (error) {
        const failure = asFailure(error);
        if (failure.code !== "insufficient_quota") {
          if (tries++ >= storeTries) return failure;
          await pause(storePauseMs);
        } else if (this.#step <= minStepTokens) return failure;
        else this.#step = Math.max(minStepTokens, Math.floor(this.#step / 2));
      }
    }
    return undefined;
  }
}
