import { Worker } from "node:worker_threads";

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

/** Texts that may wait for the thread: what comes beyond them is counted otherwise. */
const maxWaiting = 1_000;
/** Time for which a thread without work is kept: its tables take 70 MB. */
const idleMs = 60_000;
/** Memory that the thread may use, its tables among it. */
const memory = { maxOldGenerationSizeMb: 256 };

/**
 * Counts tokens in a worker thread, which ends after a minute without work because its tables take 70 MB. Loading the
 * tables takes 0.2 s, for which no call waits. Most calls do not need a count: their vendors report usage.
 */
export class Tokenizer {
  readonly #waiting = new Map<number, (tokens: number | undefined) => void>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  /** Tokens in a text; undefined where too many wait or the thread has failed. Does not reject. */
  count(text: string): Promise<number | undefined> {
    if (this.#waiting.size >= maxWaiting) return Promise.resolve(undefined);
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const id = this.#count++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      // The rule is about windows; a thread's port has one other end.
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
    this.#worker?.unref(); // it keeps no process from its end
    this.#idle = setTimeout(() => this.#end(), idleMs).unref();
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  /** The next text has a new thread. */
  #fail(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}
