import { randomUUID } from "node:crypto";
import { readEpoch, writeEpoch, writeCompleteRuns, type TaskSealer } from "@modelgate/accounts";
import { readBrokenChains, setMarkOnce, readAccountPages, type Books } from "@modelgate/books";
import { eventStreams, type KeptTaskEvent } from "@modelgate/contracts";
import { readServerState, msUntilBeat, type Bus, type Logger, type Redis } from "@modelgate/platform";
import { adoptAccounts } from "../accounts/adopt.ts";
import { projectLeftovers } from "../accounts/project.ts";
import type { BooksConnection } from "../books-connection.ts";
import { caughtUp } from "./caught-up.ts";
import { compareAccounts, type Offsets } from "./compare.ts";
import { settleLate } from "./late-calls.ts";
import { putBackAll, type PutBackDeps } from "./put-back.ts";
import { LateTasks, restoreTasks } from "./restore-tasks.ts";
import { restoreTokens } from "./restore-tokens.ts";

/** Dependencies of the watch. */
export interface RedisWatchOptions {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: BooksConnection;
  readonly log: Logger;
  readonly roundMs: number;
  /** Decrypts the records of tasks. */
  readonly taskSeal: TaskSealer;
}

/** Checks that Redis has everything that the books have. */
export interface RedisWatch extends AsyncDisposable {
  /** True if Redis is known to have everything that the books have. Until then no reservation counts as abandoned. */
  readonly isWhole: boolean;
  /** Run ids of its servers (`readServerState`) for which that is known; undefined: none. */
  readonly wholeRuns: string | undefined;
  /** Notes that the books have new receipts of these accounts. */
  noticed(accounts: Iterable<string>): void;
  /** Notes that the books have these task events. */
  noticedTasks(events: readonly KeptTaskEvent[]): void;
}

/**
 * Accounts compared at a time, and maximum accounts that are remembered for comparison; the books know further ones.
 */
const [pageSize, maxNoticed] = [500, 50_000];
/** Rounds between two checks for unapplied changes and for broken chains. */
const roundsBetweenChecks = 5;
/**
 * Time, in ms, after the last write in which every round checks for late calls, and rounds between two checks
 * otherwise.
 */
const [lateGraceMs, roundsBetweenSweeps] = [5_000, 60];
/** Maximum wait, in ms, for the content of the streams before an empty Redis is filled. */
const drainMs = 5_000;
/**
 * Maximum duration, in ms, of the comparison of a lost Redis before its abandoned reservations are settled, even if
 * accounts are still uncertain.
 */
const wholeWithinMs = 30_000;
const epochMark = "epoch";

/**
 * Compares Redis with the books periodically. Fills a Redis that has lost all data, and charges one that is behind.
 * Compares all accounts of a server that was restarted or replaced.
 */
export function watchRedis(options: RedisWatchOptions): RedisWatch {
  const watch = new Watch(options);
  watch.start();
  return watch;
}

class Watch implements RedisWatch {
  readonly #options: RedisWatchOptions;
  readonly #sleep = Promise.withResolvers<void>();
  readonly #offsets: Offsets = new Map();
  readonly #lateTasks = new LateTasks();
  #suspects = new Set<string>();
  #runs: string | undefined;
  #writes: string | undefined;
  /** Time until which a late call may reach its age limit without further writes. */
  #lateUntil = 0;
  #whole = false;
  /** Time at which Redis counts as complete, even if accounts are still uncertain. */
  #comparedBy: number | undefined;
  #adopted = false;
  #stopped = false;
  #complained = false;
  #rounds = 0;
  #going: Promise<void> = Promise.resolve();

  constructor(options: RedisWatchOptions) {
    this.#options = options;
  }

  get isWhole(): boolean {
    return this.#whole;
  }

  get wholeRuns(): string | undefined {
    return this.#whole ? this.#runs : undefined;
  }

  noticed(accounts: Iterable<string>): void {
    for (const account of accounts) if (this.#suspects.size < maxNoticed) this.#suspects.add(account);
  }

  noticedTasks(events: readonly KeptTaskEvent[]): void {
    this.#lateTasks.notice(events);
  }

  start(): void {
    this.#going = this.#watch();
  }

  async #watch(): Promise<void> {
    const { connection, log, roundMs } = this.#options;
    while (!this.#stopped) {
      try {
        await connection.fill((books) => this.#round(books));
        this.#complained = false;
      } catch (error) {
        if (!this.#complained) log.warn({ err: error }, "comparing Redis with the books failed; trying again");
        this.#complained = true;
      }
      await Promise.race([this.#sleep.promise, new Promise((resolve) => setTimeout(resolve, msUntilBeat(roundMs)))]);
    }
  }

  async #round(books: Books): Promise<void> {
    const { redis, bus, log } = this.#options;
    const deps = { redis, bus, books };
    const epoch = await setMarkOnce(books, epochMark, randomUUID());
    const { runs, writes } = await readServerState(redis);
    const found = await readEpoch(redis);
    const isAnother = runs !== this.#runs;
    if (isAnother) this.#whole = false;
    if (!this.#adopted) {
      // Before the first epoch some accounts existed only in Redis.
      const adopted = await adoptAccounts(deps);
      if (adopted > 0) log.info({ accounts: adopted }, "accounts were copied into the books");
      this.#adopted = true;
    }
    if (found === undefined) await this.#fill(deps);
    else if (isAnother) await this.#putEndBack(deps);
    await this.#lateTasks.restore({ redis, taskSeal: this.#options.taskSeal }, Date.now());
    if (found !== epoch) await writeEpoch(redis, epoch);
    if (!this.#whole) {
      this.#comparedBy ??= performance.now() + wholeWithinMs;
      await this.#noticeAll(books);
    }
    if (this.#rounds++ % roundsBetweenChecks === 0) {
      await projectLeftovers(deps, Date.now());
      this.noticed(await readBrokenChains(books, pageSize));
    }
    const again = await this.#compare(deps);
    // An emptied Redis has lost this record too.
    if (isAnother || found === undefined) await writeCompleteRuns(redis, runs);
    this.#runs = runs;
    // A reservation may exist whose settlement Redis has lost: nothing is swept before that is charged again.
    if (again === 0 || performance.now() > (this.#comparedBy ?? 0)) {
      this.#whole = true;
      this.#comparedBy = undefined;
    }
    await this.#settleLate(deps, writes);
  }

  /** Settles late calls, calls that ended after their reservation was gone, while there may be any. */
  async #settleLate(deps: PutBackDeps, writes: string | undefined): Promise<void> {
    const now = performance.now();
    if (writes === undefined || writes !== this.#writes) this.#lateUntil = now + lateGraceMs;
    if (now > this.#lateUntil && this.#rounds % roundsBetweenSweeps !== 0) return;
    this.#writes = undefined; // after an error the next round checks again
    const late = await settleLate(deps);
    this.#writes = writes;
    const { log } = this.#options;
    if (late > 0) log.warn({ calls: late }, "calls that were open when Redis was lost are charged");
  }

  /** Fills a Redis that has lost all data, including what the streams still have to deliver. */
  async #fill(deps: { readonly redis: Redis; readonly bus: Bus; readonly books: Books }): Promise<void> {
    const { log } = this.#options;
    this.#whole = false;
    this.#lateTasks.begin();
    const begin = performance.now();
    await this.#drained();
    const accounts = await putBackAll(deps);
    await restoreTasks({ ...deps, taskSeal: this.#options.taskSeal }, Date.now());
    const ms = Math.round(performance.now() - begin);
    if (accounts > 0) log.warn({ accounts, ms }, "Redis was empty: accounts and tokens are restored from the books");
  }

  /** Restores tasks and API keys of a Redis that may be behind: it may lack a task's end or a key's disabling. */
  async #putEndBack(deps: { readonly redis: Redis; readonly bus: Bus; readonly books: Books }): Promise<void> {
    let tokens = 0;
    for await (const page of readAccountPages(deps.books))
      tokens += await restoreTokens(
        deps,
        page.map(({ id }) => id),
      );
    // Before the first round there was no other run.
    if (this.#runs !== undefined) {
      this.#lateTasks.begin();
      await this.#drained();
    }
    const tasks = await restoreTasks({ ...deps, taskSeal: this.#options.taskSeal }, Date.now());
    if (tokens + tasks > 0)
      this.#options.log.warn({ tasks, tokens }, "Redis was behind: video tasks and keys are restored from the books");
  }

  /**
   * Waits for a limited time until the books have the content of the streams; later events are charged when they
   * arrive.
   */
  async #drained(): Promise<void> {
    const streams = Object.values(eventStreams).map(({ name }) => name);
    await caughtUp(this.#options.bus, streams, drainMs);
  }

  async #noticeAll(books: Books): Promise<void> {
    for await (const page of readAccountPages(books)) for (const { id } of page) this.#suspects.add(id);
  }

  async #compare(deps: { readonly redis: Redis; readonly bus: Bus; readonly books: Books }): Promise<number> {
    const all = [...this.#suspects];
    this.#suspects = new Set();
    let unsure = 0;
    for (let from = 0; from < all.length; from += pageSize) {
      const page = all.slice(from, from + pageSize);
      try {
        const again = await compareAccounts(deps, page, this.#offsets);
        this.noticed(again);
        unsure += again.length;
      } catch (error) {
        this.noticed(all.slice(from));
        throw error;
      }
    }
    return unsure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.#sleep.resolve();
    await this.#going;
  }
}
