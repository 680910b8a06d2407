import { Worker } from "node:worker_threads";
import { estimateTokens } from "./expect.ts";

/** A text to count. */
export interface CountJob {
  readonly id: number;
  readonly text: string;
}

/** Tokens of a counted text. */
export interface CountedTokens {
  readonly id: number;
  readonly tokens: number;
}

/** Text beyond this is counted by its length: others wait for the tokenizer, too. */
const maxCharacters = 256 * 1024;
/**
 * Minimum bytes per token in every language and code for which vendors publish counts; four bytes are usual. If a text
 * has more tokens than this allows, settlement takes their cost from the balance.
 */
export const minBytesPerToken = 2;
/** Texts that may wait for the thread: what comes beyond them is counted otherwise. */
const maxWaiting = 1_000;
/** Idle ms after which the thread is ended: its tables take 70 MB. */
const idleMs = 60_000;
/** Memory limit of the thread, including its tables. */
const memory = { maxOldGenerationSizeMb: 256 };

/**
 * Counts tokens in a worker thread, which ends after a minute without work because its tables take 70 MB. Loading the
 * tables takes 0.2 s, for which no call waits. Most calls do not need a count: their vendors report usage.
 */
class Tokenizer {
  readonly #waiting = new Map<number, (tokens: number | undefined) => void>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  /**
   * Counts the tokens in a text. Returns undefined if too many texts wait or the thread has failed. Does not reject.
   */
  count(text: string): Promise<number | undefined> {
    if (this.#waiting.size >= maxWaiting) return Promise.resolve(undefined);
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const id = this.#count++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      // The rule is about windows; a thread's port has exactly one other end.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage({ id, text } satisfies CountJob);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL("tokenizer-worker.ts", import.meta.url), { resourceLimits: memory });
    worker.on("message", ({ id, tokens }: CountedTokens) => this.#answer(id, tokens));
    worker.on("error", () => this.#fail(worker)).on("exit", () => this.#fail(worker));
    return worker;
  }

  #answer(id: number, tokens: number): void {
    this.#waiting.get(id)?.(tokens);
    this.#waiting.delete(id);
    if (this.#waiting.size > 0) return;
    this.#worker?.unref(); // the thread does not keep the process running
    this.#idle = setTimeout(() => this.#end(), idleMs).unref();
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  /** Drops a failed thread; the next text starts a new one. */
  #fail(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}

const tokenizer = new Tokenizer();

/** Tokens in a text, by the tokenizer of the common models, or by its length where it is too long for one. */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const counted = text.length > maxCharacters ? undefined : await tokenizer.count(text);
  return counted ?? estimateTokens(Buffer.byteLength(text));
}
