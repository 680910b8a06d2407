import { Cluster } from "ioredis";
import type { Redis } from "./redis.ts";

/** State of all servers that accept writes. */
export interface RedisServerState {
  /** Changes if a server was restarted or replaced. */
  readonly runs: string;
  /** Changes if data was written; undefined if a server does not report its writes. */
  readonly writes: string | undefined;
}

const runningReads = new WeakMap<Redis, Promise<RedisServerState>>();

/** Reads the state of all primaries. Concurrent callers share one read. */
export function readServerState(redis: Redis): Promise<RedisServerState> {
  const answer = runningReads.get(redis) ?? fetchServerState(redis).finally(() => runningReads.delete(redis));
  runningReads.set(redis, answer);
  return answer;
}

async function fetchServerState(redis: Redis): Promise<RedisServerState> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const infos = await Promise.all(nodes.map(async (node) => String(await node.call("INFO", "server", "persistence"))));
  const valuesOf = (field: string): readonly (string | undefined)[] =>
    infos.map((info) => new RegExp(`^${field}:(\\w+)`, "m").exec(info)?.[1]);
  const runs = valuesOf("run_id");
  const [changes, saved] = [valuesOf("rdb_changes_since_last_save"), valuesOf("rdb_last_save_time")];
  const isComplete = !changes.includes(undefined);
  return {
    runs: runs.map((run) => run ?? "unknown").sort().join(" "), // prettier-ignore
    writes: isComplete
      ? runs
          .map((run, index) => [run, saved[index], changes[index]].join(":"))
          .sort()
          .join(" ")
      : undefined,
  };
}

export interface WorkCheckOptions {
  readonly redis: Redis;
  /**
   * Time in ms after the last write during which `hasWork` always returns true, because an entry may become due as it
   * ages.
   */
  readonly graceMs: number;
  /** Returns the Unix time in ms at which the first entry is due, or Infinity. */
  nextDue(): Promise<number>;
  now?(): number;
}

/** Maximum ms between two reads of the work, even if no writes are reported. */
const sweepMs = 60_000;

/**
 * Checks whether Redis may contain work that is due. Reading the work of all shards costs hundreds of commands, so it
 * is read only after a write, when an entry is due, and once a minute.
 */
export class WorkCheck {
  readonly #options: WorkCheckOptions;
  #writes: string | undefined;
  #dueAt: number | undefined;
  #changedAt = -Infinity;
  #checkedAt = -Infinity;

  constructor(options: WorkCheckOptions) {
    this.#options = options;
  }

  /** Returns true if the work must be read now. Rejects while Redis is unavailable. */
  async hasWork(): Promise<boolean> {
    const { redis, graceMs, nextDue, now = Date.now } = this.#options;
    const { writes } = await readServerState(redis);
    const loadedAt = now();
    if (writes === undefined || writes !== this.#writes) {
      this.#writes = writes;
      this.#changedAt = loadedAt;
      this.#dueAt = undefined;
    }
    const isDue = loadedAt - this.#changedAt <= graceMs || loadedAt - this.#checkedAt >= sweepMs;
    if (!isDue && loadedAt < (this.#dueAt ?? (await this.#readDue(writes, nextDue)))) return false;
    this.#checkedAt = loadedAt;
    return true;
  }

  /**
   * Reads when the first entry is due. If another check has seen a write meanwhile, the result is not cached, because
   * the new entry may be due earlier.
   */
  async #readDue(writes: string | undefined, nextDue: () => Promise<number>): Promise<number> {
    const dueAt = await nextDue();
    if (this.#writes === writes) this.#dueAt = dueAt;
    return dueAt;
  }
}
