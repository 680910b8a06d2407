import { Worker } from "node:worker_threads";
import { FairWorkerPool, type JobOwner } from "./account-turns.ts";
import type { LengthFound, LengthJob } from "./length-job.ts";

/** Number of reader threads; each reads one file at a time. */
const threadCount = 2;
/** Maximum start time of a thread, in ms. */
const maxStartMs = 60_000;
/** Memory limits of a thread. A small young generation causes early collection of read chunks. */
const threadMemory = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 2 };

/** Maximum time in ms for which a file waits for a thread. */
const defaultMaxWaitMs = 30_000;

/** Finds the length of files in separate threads, so that a file crafted to be slow delays no other call. */
export interface LengthReader extends AsyncDisposable {
  /**
   * Finds the length of an account's file; an empty object if unknown. Rejects with Failure rate_limit_exceeded (429).
   */
  find(job: LengthJob, owner: JobOwner): Promise<LengthFound>;
}

/** Opens a length reader. `maxMs` is the maximum time per file, `maxWaitMs` the maximum time for which a file waits. */
export function openLengthReader(maxMs = 8_000, maxWaitMs = defaultMaxWaitMs): LengthReader {
  const threads = Array.from({ length: threadCount }, () => new LengthThread(maxMs));
  const pool = new FairWorkerPool(threads, maxWaitMs);
  return {
    find: async (job, owner) => (await pool.run(owner, (thread) => thread.find(job))) ?? {},
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((thread) => thread.end()));
    },
  };
}

/** One thread, which finds the length of one file at a time. It is started again after a file that was too slow. */
class LengthThread {
  readonly #maxMs: number;
  #thread: Thread | undefined;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  async end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }

  async find(job: LengthJob): Promise<LengthFound> {
    const { worker, ready } = (this.#thread ??= startThread());
    if (!(await ready)) {
      await this.end();
      return {};
    }
    const { promise, resolve } = Promise.withResolvers<LengthFound | undefined>();
    const finish = (length: LengthFound): void => resolve(length);
    const fail = (): void => resolve(undefined);
    const timer = setTimeout(fail, this.#maxMs);
    worker.on("message", finish).on("error", fail).on("exit", fail);
    // The rule concerns windows; a thread's port has exactly one receiver.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(job);
    const result = await promise;
    clearTimeout(timer);
    worker.off("message", finish).off("error", fail).off("exit", fail);
    // The caller may close the file next, so the thread must stop reading.
    if (result === undefined) await this.end();
    return result ?? {};
  }
}

interface Thread {
  readonly worker: Worker;
  readonly ready: Promise<boolean>;
}

function startThread(): Thread {
  const worker = new Worker(new URL("length-worker.ts", import.meta.url), {
    resourceLimits: threadMemory,
  });
  const { promise: ready, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), maxStartMs);
  worker.once("message", () => resolve(true)).once("exit", () => resolve(false));
  worker.on("error", () => undefined);
  worker.unref();
  return { worker, ready: ready.finally(() => clearTimeout(timer)) };
}
