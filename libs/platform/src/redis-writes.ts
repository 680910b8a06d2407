import { Cluster } from "ioredis";
import type { Redis } from "./redis.ts";

/** State of the servers that accept writes, as they report it. */
export interface RedisServers {
  /** Changes if a server was restarted or replaced. */
  readonly runs: string;
  /** Changes if data was written; undefined if a server does not report it. */
  readonly writes: string | undefined;
}

/** Open requests: all checks of the same beat share one. */
const pending = new WeakMap<Redis, Promise<RedisServers>>();

/** Reads the state of all primaries with one command each; concurrent callers share a request. */
export function readServers(redis: Redis): Promise<RedisServers> {
  const answer = pending.get(redis) ?? askServers(redis).finally(() => pending.delete(redis));
  pending.set(redis, answer);
  return answer;
}

async function askServers(redis: Redis): Promise<RedisServers> {
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  const infos = await Promise.all(nodes.map(async (node) => String(await node.call("INFO", "server", "persistence"))));
  const all = (field: string): readonly (string | undefined)[] =>
    infos.map((info) => new RegExp(`^${field}:(\\w+)`, "m").exec(info)?.[1]);
  const runs = all("run_id");
  const [changes, saved] = [all("rdb_changes_since_last_save"), all("rdb_last_save_time")];
  const known = !changes.includes(undefined);
  return {
    runs: runs.map((run) => run ?? "unknown").sort().join(" "), // prettier-ignore
    writes: known
      ? runs
          .map((run, at) => [run, saved[at], changes[at]].join(":"))
          .sort()
          .join(" ")
      : undefined,
  };
}

/** Options of the check for new work in Redis. */
export interface WorkCheckOptions {
  readonly redis: Redis;
  /** Maximum ms after a write in which an entry may become due by its age. */
  readonly graceMs: number;
  /** Returns the time at which the first entry in Redis is due, Unix ms; Infinity if none waits. */
  nextDue(): Promise<number>;
  now?(): number;
}

/** Maximum ms between two reads of the work, regardless of reported writes. */
const sweepMs = 60_000;

/**
 * Checks whether Redis may contain work. Reading the servers' count of writes is one command; reading every shard is
 * hundreds. Without new writes only an entry that waits for its time can become due.
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

  /**
   * Returns true if the work must be read now, and records the servers' count of writes. Rejects while Redis is
   * unavailable.
   */
  async hasWork(): Promise<boolean> {
    const { redis, graceMs, nextDue, now = Date.now } = this.#options;
    const { writes } = await readServers(redis);
    const at = now();
    if (writes === undefined || writes !== this.#writes) {
      this.#writes = writes;
      this.#changedAt = at;
      this.#dueAt = undefined;
    }
    const isDue = at - this.#changedAt <= graceMs || at - this.#checkedAt >= sweepMs;
    // Read once until data is written again.
    if (!isDue) this.#dueAt ??= await nextDue();
    if (!isDue && at < (this.#dueAt ?? 0)) return false;
    this.#checkedAt = at;
    return true;
  }
}
