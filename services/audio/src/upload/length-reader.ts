import { Worker } from "node:worker_threads";
import type { LengthFound, LengthJob } from "./length-job.ts";

/** Threads that read files, each one at a time. */
const lanes = 2;
/** Longest that a thread takes to begin; it is no file's time. */
const maxStartMs = 60_000;
/** Memory that a thread may use; with little of it for what is young, pieces that were read are soon collected. */
const memory = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 2 };

/** Finds out how long files are, in threads of its own: a file that is made to be slow to read delays no other call. */
export interface LengthReader extends AsyncDisposable {
  /** Finds the length that the file states; empty for one that cannot be read, or not in time. Does not reject. */
  find(job: LengthJob): Promise<LengthFound>;
}

/** Threads start with their first file. `maxMs` is the longest that one file is read. */
export function openLengthReader(maxMs = 8_000): LengthReader {
  const all = Array.from({ length: lanes }, () => new Lane(maxMs));
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
  readonly #maxMs: number;
  #tail: Promise<unknown> = Promise.resolve();
  #thread: Thread | undefined;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
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
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }

  async #ask(job: LengthJob): Promise<LengthFound> {
    const { worker, begun } = (this.#thread ??= start());
    if (!(await begun)) {
      await this.end();
      return {};
    }
    const { promise, resolve } = Promise.withResolvers<LengthFound | undefined>();
    const finish = (length: LengthFound): void => resolve(length);
    const fail = (): void => resolve(undefined);
    const timer = setTimeout(fail, this.#maxMs);
    worker.on("message", finish).on("error", fail).on("exit", fail);
    // The rule is about windows; a thread's port has one other end.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(job);
    const found = await promise;
    clearTimeout(timer);
    worker.off("message", finish).off("error", fail).off("exit", fail);
    // Its file may be closed after this, so the thread must not read on.
    if (found === undefined) await this.end();
    return found ?? {};
  }
}

/** A thread, and whether it has begun, once that shows. */
interface Thread {
  readonly worker: Worker;
  readonly begun: Promise<boolean>;
}

function start(): Thread {
  const worker = new Worker(new URL("length-worker.ts", import.meta.url), {
    resourceLimits: memory,
  });
  const { promise: begun, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), maxStartMs);
  worker.once("message", () => resolve(true)).once("exit", () => resolve(false));
  worker.on("error", () => undefined);
  worker.unref();
  return { worker, begun: begun.finally(() => clearTimeout(timer)) };
}
