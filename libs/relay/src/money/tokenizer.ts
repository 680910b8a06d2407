import { Worker } from "node:worker_threads";
import { estimateTokens } from "./expect.ts";

export interface CountJob {
  readonly id: number;
  readonly text: string;
}

export interface CountedTokens {
  readonly id: number;
  readonly tokens: number;
}

/** Maximum characters of a text that is counted. Longer texts are estimated, so that other texts do not wait. */
const maxCharacters = 256 * 1024;
/**
 * Minimum bytes per token that a hold assumes. Vendors publish higher averages for all languages (usually four). If a
 * text has fewer bytes per token, the cost above the hold is taken from the balance.
 */
export const minBytesPerToken = 2;
/** Maximum texts that wait for the thread. Further texts are estimated. */
const maxWaiting = 1_000;
/** Idle time in ms after which the thread is ended, because its tables occupy 70 MB. */
const idleMs = 60_000;
const memory = { maxOldGenerationSizeMb: 256 };

/**
 * Counts tokens in a worker thread. Starting the thread takes 0.2 s. Few calls need it, because most vendors report
 * usage.
 */
class Tokenizer {
  readonly #waiting = new Map<number, (tokens: number | undefined) => void>();
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #nextId = 0;

  /** Returns undefined if too many texts wait or the thread fails. Never rejects. */
  count(text: string): Promise<number | undefined> {
    if (this.#waiting.size >= maxWaiting) return Promise.resolve(undefined);
    clearTimeout(this.#idleTimer);
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      // The lint rule concerns browser windows. The port of a thread has only one receiver.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage({ id, text } satisfies CountJob);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL("tokenizer-worker.ts", import.meta.url), { resourceLimits: memory });
    worker.on("message", ({ id, tokens }: CountedTokens) => this.#resolve(id, tokens));
    worker.on("error", () => this.#fail(worker)).on("exit", () => this.#fail(worker));
    return worker;
  }

  #resolve(id: number, tokens: number): void {
    this.#waiting.get(id)?.(tokens);
    this.#waiting.delete(id);
    if (this.#waiting.size > 0) return;
    this.#worker?.unref(); // so that an idle thread does not keep the process running
    this.#idleTimer = setTimeout(() => this.#end(), idleMs).unref();
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #fail(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}

const tokenizer = new Tokenizer();

/** Returns the number of tokens in a text, estimated if the text is too long or the tokenizer is busy. */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const count = text.length > maxCharacters ? undefined : await tokenizer.count(text);
  return count ?? estimateTokens(Buffer.byteLength(text));
}
