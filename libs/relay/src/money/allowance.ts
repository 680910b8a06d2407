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
const beyondBound = { times: 3, tokens: 64 } as const;

/** Reason to end a stream that the hold covers: its vendor wrote more than the request allows. */
export const wroteBeyondBound = "beyond-bound";

/** Reason to end a stream: the money does not suffice, Redis is unavailable, or the vendor exceeds the output limit. */
export type StreamStop = Failure | typeof wroteBeyondBound;

/** Options of an `Allowance`. */
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
  #paid: number;
  /** Bytes of text that may still pass before the next check. */
  #bytes = 0;
  /** Maximum tokens in the frame that was checked last. */
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

  /** Returns whether a frame of `bytes` is covered without a check, whatever it contains. */
  covers(bytes: number): boolean {
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }

  /** Returns whether a frame with this many bytes of text is covered. Starts to extend the hold if little is left. */
  admits(wordBytes: number, isThought = false): boolean {
    this.#thinks ||= isThought;
    this.#wanted = Math.ceil(wordBytes / minBytesPerToken);
    if (!this.#check()) return false;
    this.#bytes = Math.max(0, this.#bytes - wordBytes);
    return true;
  }

  /**
   * Waits until the refused frame is covered and returns undefined; otherwise returns the reason to end the stream.
   * Before the stream is ended, the hold is extended once more and the tokenizer counts the received text.
   */
  async extend(): Promise<StreamStop | undefined> {
    for (;;) {
      if (this.#paid >= this.#options.output.max) {
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

  /** Returns the Failure of the last attempt to extend the hold; undefined if it succeeded. */
  get #refusal(): Failure | undefined {
    return this.#refused;
  }

  /** Computes how many bytes may pass before the next check. Returns whether the checked frame is covered. */
  #check(): boolean {
    const { output, meter } = this.#options;
    if (this.#paid >= output.max) return this.#checkBound();
    const left = this.#paid - meter.maxTokens - this.#wanted;
    const early = left - output.step / 2;
    let isQuiet = this.#extending === undefined && this.#refused === undefined;
    if (early < output.step / 8 && isQuiet) {
      void this.#extend();
      isQuiet = false;
    }
    // If no extension is in progress, the next check must come early enough to begin one.
    this.#bytes = Math.max(0, Math.floor((isQuiet ? early : left) + this.#wanted) * minBytesPerToken);
    return left >= 0;
  }

  /**
   * Does the work of `#check` when the hold covers the maximum output. The result is false only if the vendor ignores
   * the output limit.
   */
  #checkBound(): boolean {
    const { output, meter, extraReasoningTokens = 0 } = this.#options;
    const max = output.max * beyondBound.times + beyondBound.tokens + (this.#thinks ? extraReasoningTokens : 0);
    // The frame itself is not counted. If it contains the complete answer, its tokens would be overestimated.
    const left = max - meter.maxShownTokens;
    // Only half of the remaining bytes may pass before the next check, so that reasoning is noticed in time: it raises the
    // limit.
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

  /**
   * Extends the hold by a step, or by the largest smaller amount that the money covers. Returns the Failure if it
   * cannot.
   */
  async #grow(): Promise<Failure | undefined> {
    const { output, extend } = this.#options;
    for (let tries = 1; !this.#over;) {
      const to = Math.min(this.#paid + this.#step, output.max);
      try {
        // If the hold is missing, Redis has lost it. The call continues, and its actual cost is charged at the end.
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
