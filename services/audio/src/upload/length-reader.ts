import { Worker } from "node:worker_threads";
import type { LengthFound, LengthJob } from "./length-job.ts";

/** Threads that read files, each one at a time. */
const lanes = 2;
/** Memory that a thread may use; with little of it for what is young, pieces that were read are soon collected. */
const memory = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 2 };

/** Finds out how long files are, in threads of its own: a file that is made to be slow to read delays no other call. */
export interface LengthReader extends AsyncDisposable {
  /** What the file tells; nothing for what cannot be read, or not in time. Does not reject. */
  find(job: LengthJob): Promise<LengthFound>;
}

/** Threads start with their first file. `mostMs` is the longest that one file is read. */
export function openLengthReader(mostMs = 8_000): LengthReader {
  const all = Array.from({ length: lanes }, () => new Lane(mostMs));
  return {
    find(job) {
      const [first, ...others] = all;
      if (first === undefined) return Promise.resolve({});
      return others.reduce((least, each) => (each.waiting < least.waiting ? each : least), first).find(job);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((lane) => lane.end()));
    },
  };
}

/** One thread, and who waits for it. */
class Lane {
  waiting = 0;
  readonly #mostMs: number;
  #tail: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;

  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  async find(job: LengthJob): Promise<LengthFound> {
    this.waiting++;
    const found = this.#tail.then(() => this.#ask(job));
    this.#tail = found;
    try {
      return await found;
    } finally {
      this.waiting--;
    }
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async #ask(job: LengthJob): Promise<LengthFound> {
    const worker = (this.#worker ??= start());
    const { promise, resolve } = Promise.withResolvers<LengthFound | undefined>();
    const tell = (found: LengthFound): void => resolve(found);
    const fail = (): void => resolve(undefined);
    const timer = setTimeout(fail, this.#mostMs);
    worker.on("message", tell).on("error", fail).on("exit", fail);
    // The rule is about windows; a thread's port has one other end.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(job);
    const found = await promise;
    clearTimeout(timer);
    worker.off("message", tell).off("error", fail).off("exit", fail);
    // Its file may be closed after this, so the thread must not read on.
    if (found === undefined) await this.end();
    return found ?? {};
  }
}

function start(): Worker {
  const worker = new Worker(new URL("length-worker.ts", import.meta.url), {
    resourceLimits: memory,
  });
  worker.on("error", () => undefined);
  worker.unref();
  return worker;
}
