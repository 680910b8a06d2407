import { setTimeout as pause } from "node:timers/promises";
import { asFailure, type Failure } from "@modelgate/contracts";
import type { HeldOutput } from "./expect.ts";
import type { Meter } from "./meter.ts";
import { minBytesPerToken } from "./tokenizer.ts";

/** Minimum tokens by which a hold is extended. */
const minStepTokens = 64;
/**
 * Maximum attempts to extend a hold while Redis is unavailable, and the pause between them in ms. The stream waits
 * meanwhile.
 */
const [storeTries, storePauseMs] = [20, 250];

/**
 * Margin by which the counted tokens may exceed a stream's output limit before the stream is ended. It is wide because
 * a vendor's tokenizer may count fewer tokens for the same text than the gateway's.
 */
const outputLimitMargin = { times: 3, tokens: 64 } as const;

/** Reason to end a stream that the hold covers: its vendor wrote more than the request allows. */
export const outputLimitExceeded = "output-limit-exceeded";

/** Reason to end a stream: the money does not suffice, Redis is unavailable, or the vendor exceeds the output limit. */
export type StreamStop = Failure | typeof outputLimitExceeded;

/** Output for which money is held, its meter, and the function that extends the hold. */
export interface AllowanceOptions {
  readonly output: HeldOutput;
  readonly meter: Meter;
  /** Output tokens that are allowed beyond the limit if the stream has shown reasoning; absent: none. */
  readonly extraReasoningTokens?: number;
  /**
   * Extends the hold from `from` to `to` output tokens. Returns false if the hold no longer exists. Throws Failure
   * insufficient_quota if the account, its group or its API key does not have the money, or another Failure if Redis is
   * unavailable.
   */
  extend(from: number, to: number): Promise<boolean>;
}

/**
 * Decides how much of a stream the held money covers. It counts bytes of text, from which an upper limit of the tokens
 * follows, so that most frames need only one comparison. When the counted bytes are used up, it computes the tokens
 * again. When about half a step is left, it extends the hold while the stream continues. Dispose it with the stream.
 */
export class Allowance implements Disposable {
  readonly #options: AllowanceOptions;
  /** Output tokens that the hold covers. */
  #coveredTokens: number;
  /** Bytes of text that may still pass before the next check. */
  #uncheckedBytes = 0;
  /** Maximum tokens in the frame that was checked last. */
  #frameTokens = 0;
  #step: number;
  #extending: Promise<void> | undefined;
  #refused: Failure | undefined;
  #hasReasoning = false;
  #isDisposed = false;

  constructor(options: AllowanceOptions) {
    this.#options = options;
    this.#coveredTokens = options.output.first;
    this.#step = options.output.step;
  }

  /** Returns whether a frame of this many bytes is covered without computing its tokens. */
  covers(bytes: number): boolean {
    if (bytes > this.#uncheckedBytes) return false;
    this.#uncheckedBytes -= bytes;
    return true;
  }

  /** Returns whether a frame with this many bytes of text is covered. Starts to extend the hold if little is left. */
  admits(textBytes: number, isThought = false): boolean {
    this.#hasReasoning ||= isThought;
    this.#frameTokens = Math.ceil(textBytes / minBytesPerToken);
    if (!this.#check()) return false;
    this.#uncheckedBytes = Math.max(0, this.#uncheckedBytes - textBytes);
    return true;
  }

  /**
   * Waits until the refused frame is covered and returns undefined; otherwise returns the reason to end the stream.
   * Before the stream is ended, the hold is extended once more and the tokenizer counts the received text.
   */
  async extend(): Promise<StreamStop | undefined> {
    for (;;) {
      if (this.#coveredTokens >= this.#options.output.max) {
        await this.#options.meter.outputTokens();
        return this.#isDisposed || this.#check() ? undefined : outputLimitExceeded;
      }
      await (this.#extending ?? this.#extend());
      if (this.#isDisposed || this.#check()) return undefined;
      const refused = this.#refusal;
      if (refused === undefined) continue;
      if (refused.code === "insufficient_quota") await this.#options.meter.outputTokens();
      return this.#check() ? undefined : refused;
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
  }

  /** Returns the Failure of the last attempt to extend the hold; undefined if it succeeded. */
  get #refusal(): Failure | undefined {
    return this.#refused;
  }

  /** Computes how many bytes may pass before the next check. Returns whether the checked frame is covered. */
  #check(): boolean {
    const { output, meter } = this.#options;
    if (this.#coveredTokens >= output.max) return this.#checkAtMaximum();
    const left = this.#coveredTokens - meter.maxTokens - this.#frameTokens;
    const leftBeforeExtension = left - output.step / 2;
    let isQuiet = this.#extending === undefined && this.#refused === undefined;
    if (leftBeforeExtension < output.step / 8 && isQuiet) {
      void this.#extend();
      isQuiet = false;
    }
    // Unless an extension is in progress or has failed, the next check must come early enough to begin one.
    const tokens = (isQuiet ? leftBeforeExtension : left) + this.#frameTokens;
    this.#uncheckedBytes = Math.max(0, Math.floor(tokens) * minBytesPerToken);
    return left >= 0;
  }

  /**
   * Does the work of `#check` when the hold covers the maximum output. The result is false only if the vendor ignores
   * the output limit.
   */
  #checkAtMaximum(): boolean {
    const { output, meter, extraReasoningTokens = 0 } = this.#options;
    const max =
      output.max * outputLimitMargin.times + outputLimitMargin.tokens + (this.#hasReasoning ? extraReasoningTokens : 0);
    // The tokens of the checked frame are not subtracted, because their estimate is too high for a frame that contains
    // the complete answer.
    const left = max - meter.maxShownTokens;
    // Only half of the remaining bytes may pass before the next check, so that reasoning is noticed in time: it raises
    // the limit.
    this.#uncheckedBytes = Math.max(0, Math.floor((left * minBytesPerToken) / 2));
    return left >= 0;
  }

  #extend(): Promise<void> {
    this.#refused = undefined;
    this.#extending = this.#extendByStep().then((refused) => {
      this.#refused = refused;
      this.#extending = undefined;
      // The next chunk triggers a new check.
      this.#uncheckedBytes = 0;
    });
    return this.#extending;
  }

  /**
   * Extends the hold by a step. If the money does not cover the step, tries half of it, and so on. Returns the Failure
   * if the smallest step is refused too, or if Redis stays unavailable.
   */
  async #extendByStep(): Promise<Failure | undefined> {
    const { output, extend } = this.#options;
    for (let tries = 1; !this.#isDisposed;) {
      const to = Math.min(this.#coveredTokens + this.#step, output.max);
      try {
        // If the hold is missing, Redis has lost it. The call continues, and its actual cost is charged at the end.
        await extend(this.#coveredTokens, to);
        this.#coveredTokens = to;
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
