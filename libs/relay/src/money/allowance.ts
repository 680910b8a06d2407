import { setTimeout as pause } from "node:timers/promises";
import { asFailure, type Failure } from "@modelgate/contracts";
import type { HeldOutput } from "./expect.ts";
import type { Meter } from "./meter.ts";
import { minBytesPerToken } from "./tokenizer.ts";

const minStepTokens = 64;
/** Maximum ratio between a step of a long stream and its first step. */
const maxStepGrowth = 8;
/** Maximum attempts to extend a hold while Redis is unavailable, and the pause between them in ms. */
const [storeTries, storePauseMs] = [20, 250];

/**
 * Margin by which a stream may exceed its output limit. It is wide because a vendor's tokenizer may count fewer tokens
 * than the gateway's.
 */
const outputLimitMargin = { times: 3, tokens: 64 } as const;

/** Reason to end a stream: its vendor wrote more than the request allows. */
export const outputLimitExceeded = "output-limit-exceeded";

/** Reason to end a stream. */
export type StreamStop = Failure | typeof outputLimitExceeded;

/** Output for which money is held, its meter, and the function that extends the hold. */
export interface AllowanceOptions {
  readonly output: HeldOutput;
  readonly meter: Meter;
  /** Output tokens beyond the limit that are allowed if the stream has shown reasoning. */
  readonly extraReasoningTokens?: number;
  /**
   * Extends the hold from `from` to `to` output tokens. Returns false if Redis has lost the hold. Throws Failure
   * insufficient_quota if the money does not suffice, or another Failure if Redis is unavailable.
   */
  extend(from: number, to: number): Promise<boolean>;
}

/**
 * Decides how much of a stream the held money covers. Most frames need only a comparison of bytes, because each token
 * has a minimum of bytes. When a quarter of the first step is left, the hold is extended while the stream continues. Each
 * extension is twice as long as the one before, so that a long answer needs few of them.
 */
export class Allowance implements Disposable {
  readonly #options: AllowanceOptions;
  #coveredTokens: number;
  /** Bytes of text that are allowed before the next check. */
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

  /** Returns true if a frame of this many bytes is covered without computing its tokens. */
  covers(bytes: number): boolean {
    if (bytes > this.#uncheckedBytes) return false;
    this.#uncheckedBytes -= bytes;
    return true;
  }

  /** Returns true if a frame with this much text is covered. Starts to extend the hold if little is left. */
  admits(textBytes: number, isThought = false): boolean {
    this.#hasReasoning ||= isThought;
    this.#frameTokens = Math.ceil(textBytes / minBytesPerToken);
    if (!this.#check()) return false;
    this.#uncheckedBytes = Math.max(0, this.#uncheckedBytes - textBytes);
    return true;
  }

  /**
   * Waits until the refused frame is covered. Otherwise returns the reason to end the stream, after a last extension
   * and an exact count of the text.
   */
  async extend(): Promise<StreamStop | undefined> {
    for (;;) {
      if (this.#coveredTokens >= this.#options.output.max) {
        await this.#options.meter.countOutputTokens();
        return this.#isDisposed || this.#check() ? undefined : outputLimitExceeded;
      }
      await (this.#extending ?? this.#extend());
      if (this.#isDisposed || this.#check()) return undefined;
      const refused = this.#refusal;
      if (refused === undefined) continue;
      if (refused.code === "insufficient_quota") await this.#options.meter.countOutputTokens();
      return this.#check() ? undefined : refused;
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
  }

  get #refusal(): Failure | undefined {
    return this.#refused;
  }

  /** Computes the bytes until the next check. Returns true if the checked frame is covered. */
  #check(): boolean {
    const { output, meter } = this.#options;
    if (this.#coveredTokens >= output.max) return this.#checkAtMaximum();
    const left = this.#coveredTokens - meter.maxTokens - this.#frameTokens;
    const leftBeforeExtension = left - output.step / 4;
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
   * Checks a frame after the hold covers the maximum output. The result is false only if the vendor ignores the output
   * limit.
   */
  #checkAtMaximum(): boolean {
    const { output, meter, extraReasoningTokens = 0 } = this.#options;
    const max =
      output.max * outputLimitMargin.times + outputLimitMargin.tokens + (this.#hasReasoning ? extraReasoningTokens : 0);
    // The checked frame is not subtracted. Its estimate is a maximum, and would refuse a long frame that is allowed.
    const left = max - meter.maxShownTokens;
    // Only half of the bytes may pass before the next check, which may find reasoning that raises the limit.
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
   * Extends the hold by a step, or by a smaller one that the money covers. Returns the Failure if the smallest step is
   * refused too, or Redis stays unavailable.
   */
  async #extendByStep(): Promise<Failure | undefined> {
    const { output, extend } = this.#options;
    for (let tries = 1; !this.#isDisposed;) {
      const to = Math.min(this.#coveredTokens + this.#step, output.max);
      try {
        // If Redis has lost the hold, the call continues, and its cost is charged at the end.
        await extend(this.#coveredTokens, to);
        this.#coveredTokens = to;
        this.#step = Math.min(this.#step * 2, output.step * maxStepGrowth);
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
