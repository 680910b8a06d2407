import { Failure } from "@modelgate/contracts";

/** Account of a job, and the signal that withdraws the job while it waits. */
export interface JobOwner {
  readonly account: string;
  readonly signal: AbortSignal;
}

/** Begins a waiting job with a worker, or ends it without one. */
type WaitingJob<Worker> = (worker: Worker | undefined) => void;

/**
 * Shares workers between the jobs of accounts. Only one job of an account runs at a time, and the accounts take turns.
 */
export class FairWorkerPool<Worker> {
  readonly #idle: Worker[];
  readonly #maxWaitMs: number;
  readonly #running = new Set<string>();
  /** Waiting jobs of each account, in the order of their arrival. The account whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<WaitingJob<Worker>>>();

  /** `maxWaitMs` is the maximum time for which a job waits. */
  constructor(workers: readonly Worker[], maxWaitMs: number) {
    this.#idle = [...workers];
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Runs a job with a worker and returns its result; undefined if the signal was aborted before the job began. Rejects
   * with Failure rate_limit_exceeded (429) if the job waits too long.
   */
  async run<Result>(
    { account, signal }: JobOwner,
    job: (worker: Worker) => Promise<Result>,
  ): Promise<Result | undefined> {
    const worker = signal.aborted ? undefined : await this.#waitForWorker(account, signal);
    if (worker === undefined) return undefined;
    try {
      return await job(worker);
    } finally {
      this.#running.delete(account);
      this.#idle.push(worker);
      this.#beginJobs();
    }
  }

  #waitForWorker(account: string, signal: AbortSignal): Promise<Worker | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Worker | undefined>();
    const jobs = this.#waiting.get(account) ?? new Set();
    const begin: WaitingJob<Worker> = (worker) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", withdraw);
      jobs.delete(begin);
      if (jobs.size === 0) this.#waiting.delete(account);
      resolve(worker);
    };
    const withdraw = (): void => begin(undefined);
    const timer = setTimeout(() => {
      reject(waitTimeoutFailure());
      withdraw();
    }, this.#maxWaitMs).unref();
    signal.addEventListener("abort", withdraw);
    this.#waiting.set(account, jobs.add(begin));
    this.#beginJobs();
    return promise;
  }

  #beginJobs(): void {
    for (const [account, jobs] of this.#waiting) {
      if (this.#running.has(account)) continue;
      const worker = this.#idle.pop();
      if (worker === undefined) return;
      const [next] = jobs;
      this.#running.add(account);
      next?.(worker);
      if (jobs.size === 0) continue;
      // The other jobs of this account wait until the other accounts had their turns.
      this.#waiting.delete(account);
      this.#waiting.set(account, jobs);
    }
  }
}

function waitTimeoutFailure(): Failure {
  const message = "The lengths of this account's audio files are counted more slowly than the files arrive.";
  return new Failure("rate_limit_exceeded", message, { retryAfterSeconds: 5 });
}
