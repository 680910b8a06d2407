import { randomUUID } from "node:crypto";
import { readEpoch, writeEpoch, writeCompleteRuns, type TaskCipher } from "@modelgate/accounts";
import { readBrokenChains, setMarkOnce, readAccountPages, type Books } from "@modelgate/books";
import { eventStreams, type StoredTaskEvent } from "@modelgate/contracts";
import {
  readServerState,
  msUntilSharedTick,
  type Bus,
  type Logger,
  type Redis,
  type RedisServerState,
} from "@modelgate/platform";
import { adoptAccounts } from "../accounts/adopt.ts";
import { writeLeftovers } from "../accounts/write-leftovers.ts";
import { restoreBudgets } from "../accounts/write-budgets.ts";
import type { BooksConnection } from "../books-connection.ts";
import { waitUntilCaughtUp } from "./caught-up.ts";
import { compareAccounts, type SeenGaps } from "./compare.ts";
import { settleLate } from "./late-calls.ts";
import { restoreAllAccounts, type RestoreDeps } from "./restore-accounts.ts";
import { LateTasks, restoreTasks } from "./restore-tasks.ts";
import { restoreTokens } from "./restore-tokens.ts";

/** Dependencies of the comparison of Redis with the books. */
export interface ComparisonOptions {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: Pick<BooksConnection, "useDuringMove">;
  readonly log: Logger;
  readonly roundMs: number;
  readonly taskCipher: TaskCipher;
}

/** Background comparison of Redis with the books. */
export interface RedisComparison extends AsyncDisposable {
  /** True if Redis has everything that the books have. Until then, no hold is settled as abandoned. */
  readonly isComplete: boolean;
  /** Run ids of the Redis servers (`readServerState`); undefined unless they have everything that the books have. */
  readonly completeRuns: string | undefined;
  /** Adds accounts with new receipts to the next comparison. */
  noteAccounts(accounts: Iterable<string>): void;
  /** Adds recorded tasks to the next restoration. */
  noteTasks(events: readonly StoredTaskEvent[]): void;
}

/** Accounts that are compared at a time, and maximum waiting accounts before `noteAccounts` ignores further ones. */
const [pageSize, maxWaiting] = [500, 50_000];
const roundsBetweenChecks = 5;
/**
 * Time in ms after the last write to Redis in which every round checks for late calls (`late-calls.ts`), and the number
 * of rounds between later checks.
 */
const [lateGraceMs, roundsBetweenLateChecks] = [5_000, 60];
/** Maximum ms to wait, before Redis is restored, until the books have the events of the streams. */
const drainMs = 5_000;
/**
 * Maximum duration in ms of the comparison after a loss of Redis. Afterwards, abandoned holds are settled in any case.
 */
const maxComparisonMs = 30_000;
const epochMark = "epoch";

/**
 * Compares Redis with the books periodically, and restores what Redis has lost. Compares all accounts after a restart
 * of a server.
 */
export function startComparison(options: ComparisonOptions): RedisComparison {
  const watch = new PeriodicComparison(options);
  watch.start();
  return watch;
}

class PeriodicComparison implements RedisComparison {
  readonly #options: ComparisonOptions;
  readonly #sleep = Promise.withResolvers<void>();
  readonly #seenGaps: SeenGaps = new Map();
  readonly #lateTasks = new LateTasks();
  readonly #failedAccounts = new Set<string>();
  #accountsToCompare = new Set<string>();
  #runs: string | undefined;
  #writes: string | undefined;
  /** Time until which every round checks for late calls. */
  #lateUntil = 0;
  #isCompleteRun = false;
  /** Time (`performance.now()`) from which on Redis is assumed to have everything that the books have. */
  #comparedBy: number | undefined;
  #adopted = false;
  #isStopped = false;
  #hasLoggedFailure = false;
  #rounds = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ComparisonOptions) {
    this.#options = options;
  }

  get isComplete(): boolean {
    return this.#isCompleteRun;
  }

  get completeRuns(): string | undefined {
    return this.#isCompleteRun ? this.#runs : undefined;
  }

  noteAccounts(accounts: Iterable<string>): void {
    for (const account of accounts) if (this.#accountsToCompare.size < maxWaiting) this.#accountsToCompare.add(account);
  }

  noteTasks(events: readonly StoredTaskEvent[]): void {
    this.#lateTasks.add(events);
  }

  start(): void {
    this.#running = this.#watch();
  }

  async #watch(): Promise<void> {
    const { redis, connection, log, roundMs } = this.#options;
    while (!this.#isStopped) {
      try {
        const state = await readServerState(redis);
        if (this.#isUnchanged(state)) this.#rounds++;
        else await connection.useDuringMove((books) => this.#round(books, state));
        this.#hasLoggedFailure = false;
      } catch (error) {
        this.#writes = undefined; // so that the next round is complete
        if (!this.#hasLoggedFailure) log.warn({ err: error }, "comparing Redis with the books failed; trying again");
        this.#hasLoggedFailure = true;
      }
      await Promise.race([
        this.#sleep.promise,
        new Promise((resolve) => setTimeout(resolve, msUntilSharedTick(roundMs))),
      ]);
    }
  }

  /** Returns whether a round can be skipped, because nothing has changed since the last one. */
  #isUnchanged({ runs, writes }: RedisServerState): boolean {
    return (
      this.#isCompleteRun &&
      runs === this.#runs &&
      writes !== undefined &&
      writes === this.#writes &&
      performance.now() > this.#lateUntil &&
      this.#accountsToCompare.size === 0 &&
      !this.#lateTasks.hasTasks &&
      this.#rounds % roundsBetweenChecks !== 0
    );
  }

  async #round(books: Books, { runs, writes }: RedisServerState): Promise<void> {
    const { redis, bus, log } = this.#options;
    const deps = { redis, bus, books };
    const epoch = await setMarkOnce(books, epochMark, randomUUID());
    const found = await readEpoch(redis);
    const isOtherRun = runs !== this.#runs;
    if (isOtherRun) this.#isCompleteRun = false;
    if (!this.#adopted) {
      // Versions without books stored accounts only in Redis.
      const adopted = await adoptAccounts(deps);
      if (adopted > 0) log.info({ accounts: adopted }, "accounts were copied into the books");
      this.#adopted = true;
    }
    if (found === undefined) await this.#restoreAll(deps);
    else if (isOtherRun) await this.#restoreLastChanges(deps);
    await this.#lateTasks.restore({ redis, taskCipher: this.#options.taskCipher, log: this.#options.log }, Date.now());
    if (found !== epoch) await writeEpoch(redis, epoch);
    if (!this.#isCompleteRun) {
      this.#comparedBy ??= performance.now() + maxComparisonMs;
      await this.#noteAllAccounts(books);
    }
    if (this.#rounds++ % roundsBetweenChecks === 0) {
      await writeLeftovers(deps, Date.now());
      this.noteAccounts(await readBrokenChains(books, pageSize));
    }
    const retried = await this.#compare(deps);
    // An empty Redis has also lost the list of complete runs.
    if (isOtherRun || found === undefined) await writeCompleteRuns(redis, runs);
    this.#runs = runs;
    // Redis may have lost a settlement but not the hold of the call, so holds are settled as abandoned only in a
    // complete run.
    if (retried === 0 || performance.now() > (this.#comparedBy ?? 0)) {
      this.#isCompleteRun = true;
      this.#comparedBy = undefined;
    }
    await this.#settleLate(deps, writes);
  }

  /** Settles calls whose hold was gone when they ended. */
  async #settleLate(deps: RestoreDeps, writes: string | undefined): Promise<void> {
    const now = performance.now();
    if (writes === undefined || writes !== this.#writes) this.#lateUntil = now + lateGraceMs;
    if (now > this.#lateUntil && this.#rounds % roundsBetweenLateChecks !== 1) return;
    this.#writes = undefined; // after an error the next round checks again
    const { log } = this.#options;
    const late = await settleLate({ ...deps, log });
    this.#writes = writes;
    if (late > 0) log.warn({ calls: late }, "calls that were open when Redis was lost are charged");
  }

  /** Restores an empty Redis from the books, after the books have the events of the streams. */
  async #restoreAll(deps: { readonly redis: Redis; readonly bus: Bus; readonly books: Books }): Promise<void> {
    const { log, taskCipher } = this.#options;
    this.#isCompleteRun = false;
    this.#lateTasks.begin();
    const begin = performance.now();
    await this.#awaitStreams();
    const accounts = await restoreAllAccounts(deps);
    await restoreTasks({ ...deps, taskCipher, log }, Date.now());
    const ms = Math.round(performance.now() - begin);
    if (accounts > 0) log.warn({ accounts, ms }, "Redis was empty: accounts and tokens are restored from the books");
  }

  /**
   * Restores tasks, API keys and budgets of a restarted Redis that may lack its last changes, for example a disabled
   * key.
   */
  async #restoreLastChanges(deps: { readonly redis: Redis; readonly bus: Bus; readonly books: Books }): Promise<void> {
    let tokens = 0;
    for await (const page of readAccountPages(deps.books)) {
      const ids = page.map(({ id }) => id);
      tokens += await restoreTokens(deps, ids);
      await restoreBudgets(deps, ids);
    }
    // In the first round, no late events are expected.
    if (this.#runs !== undefined) {
      this.#lateTasks.begin();
      await this.#awaitStreams();
    }
    const { log, taskCipher } = this.#options;
    const tasks = await restoreTasks({ ...deps, taskCipher, log }, Date.now());
    if (tokens + tasks > 0)
      log.warn({ tasks, tokens }, "Redis was behind: video tasks and keys are restored from the books");
  }

  /** Waits for a limited time until the books have the events of the streams. */
  async #awaitStreams(): Promise<void> {
    const streams = Object.values(eventStreams).map(({ name }) => name);
    await waitUntilCaughtUp(this.#options.bus, streams, drainMs);
  }

  async #noteAllAccounts(books: Books): Promise<void> {
    for await (const page of readAccountPages(books)) for (const { id } of page) this.#accountsToCompare.add(id);
  }

  async #compare(deps: { readonly redis: Redis; readonly bus: Bus; readonly books: Books }): Promise<number> {
    const comparisonDeps = { ...deps, log: this.#options.log, failed: this.#failedAccounts };
    const all = [...this.#accountsToCompare];
    this.#accountsToCompare = new Set();
    let unsure = 0;
    for (let from = 0; from < all.length; from += pageSize) {
      const page = all.slice(from, from + pageSize);
      try {
        const retried = await compareAccounts(comparisonDeps, page, this.#seenGaps);
        this.noteAccounts(retried);
        unsure += retried.length;
      } catch (error) {
        this.noteAccounts(all.slice(from));
        throw error;
      }
    }
    return unsure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#sleep.resolve();
    await this.#running;
  }
}
