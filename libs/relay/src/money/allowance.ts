import { setTimeout as pause } from "node:timers/promises";
import { asFailure, type Failure } from "@modelgate/contracts";
import type { HeldOutput } from "./expect.ts";
import type { Meter } from "./meter.ts";
import { minBytesPerToken } from "./tokenizer.ts";

/** Minimum tokens that a hold is extended by. */
const minStepTokens = 64;
/**
 * Maximum attempts to extend a hold while Redis is unavailable, and the ms between them; the stream pauses meanwhile.
 */
const [storeTries, storePauseMs] = [20, 250];

/**
 * Margin by which the counted tokens may exceed the stream's output limit before the stream is ended. It is wide
 * because vendors' tokenizers may produce fewer tokens for the same text than the one used here.
 */
const beyondBound = { times: 3, tokens: 64 } as const;

/** Marks a stream that is ended although it could be paid for: its vendor wrote more than the request allows. */
export const wroteBeyondBound = "beyond-bound";

/** Reason why a stream is ended: it is not paid for, Redis is unavailable, or it exceeds the request's output limit. */
export type StreamStop = Failure | typeof wroteBeyondBound;

/** Options of a stream's allowance. */
export interface AllowanceOptions {
  readonly output: HeldOutput;
  readonly meter: Meter;
  /** Output tokens allowed beyond the limit if the stream has shown reasoning; absent: none. */
  readonly thoughtTokens?: number;
  /**
   * Extends the hold from `from` to `to` output tokens. Returns false if the hold no longer exists. Throws Failure
   * insufficient_quota if the account, its group or its API key cannot cover it, another Failure if Redis is
   * unavailable.
   */
  extend(from: number, to: number): Promise<boolean>;
}

/**
 * Tracks how much of a stream its hold covers, in bytes of text (an upper bound on tokens), so that a frame costs one
 * comparison. When the bytes are used up the text's tokens are counted. When about half a step is left the hold is
 * extended while the stream continues. Dispose it with the stream.
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

  /** Returns whether a frame is covered regardless of its content. */
  covers(bytes: number): boolean {
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }

  /** Returns whether a frame with this many bytes of text is covered. Starts to extend the hold when little is left. */
  admits(wordBytes: number, isThought = false): boolean {
    this.#thinks ||= isThought;
    this.#wanted = Math.ceil(wordBytes / minBytesPerToken);
    if (!this.#check()) return false;
    this.#bytes = Math.max(0, this.#bytes - wordBytes);
    return true;
  }

  /**
   * Waits until the refused frame may pass; otherwise returns the reason why not. Before the stream is ended, the hold
   * is extended once more and the received text is counted by the tokenizer.
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

  /** Returns the Failure that refused the last extension of the hold; undefined if it was not refused. */
  get #refusal(): Failure | undefined {
    return this.#refused;
  }

  /** Computes how far the stream may continue. Returns whether the wanted frame is within that. */
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
    // If no extension is in progress, the next check must come early enough for one.
    this.#bytes = Math.max(0, Math.floor((isQuiet ? early : left) + this.#wanted) * minBytesPerToken);
    return left >= 0;
  }

  /**
   * Does the check of `#check` for a stream that is completely paid for: only a vendor that ignores its output limit
   * reaches it.
   */
  #checkBound(): boolean {
    const { output, meter, thoughtTokens = 0 } = this.#options;
    const most = output.most * beyondBound.times + beyondBound.tokens + (this.#thinks ? thoughtTokens : 0);
    // The frame itself is not counted: a complete answer in one frame may have many bytes per token.
    const left = most - meter.maxShownTokens;
    // Only half of the rest is allowed, so that reasoning is noticed before the text counts as too long.
    this.#bytes = Math.max(0, Math.floor((left * minBytesPerToken) / 2));
    return left >= 0;
  }

  #extend(): Promise<void> {
    this.#refused = undefined;
    this.#extending = this.#grow().then((refused) => {
      this.#refused = refused;
      this.#extending = undefined;
      // The next chunk triggers a new check.
      this.#bytes = 0;
    });
    return this.#extending;
  }

  /** Extends the hold by a step, or by the largest smaller amount that is available; otherwise returns the failure. */
  async #grow(): Promise<Failure | undefined> {
    const { output, extend } = this.#options;
    for (let tries = 1; !this.#over;) {
      const to = Math.min(this.#paid + this.#step, output.most);
      try {
        // A missing hold was lost with its Redis: the call continues, and its actual cost is charged at the end.
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
