import { Cluster } from "ioredis";
import type { Redis } from "./redis.ts";

/** The state of the servers that take writes, as they report it. */
export interface RedisServers {
  /** Another text where one was started again, or another server took its place. */
  readonly runs: string;
  /** Another text where something was written; undefined where a server does not say. */
  readonly writes: string | undefined;
}

/** Questions that are not answered yet: all who look round at the same beat ask the same. */
const asked = new WeakMap<Redis, Promise<RedisServers>>();

/** Asks all primaries, one command each; one question at a time. */
export function readServers(redis: Redis): Promise<RedisServers> {
  const answer = asked.get(redis) ?? askServers(redis).finally(() => asked.delete(redis));
  asked.set(redis, answer);
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

/** Options of the check whether Redis can have new work. */
export interface QuietOptions {
  readonly redis: Redis;
  /** Maximum time after a write at which something may become due by its age, in ms. */
  readonly graceMs: number;
  /** Looks at what waits in Redis for its time: when the first of it is due, Unix ms; Infinity where there is nothing. */
  nextDue(): Promise<number>;
  now?(): number;
}

/** At the latest so long after the last look another is due, whatever the servers say of writes. */
const sweepMs = 60_000;

/**
 * Says whether there may be something to do. Asking Redis whether anything was written is one command; looking into every
 * shard is hundreds. Where nothing was written, only what is known to wait for its time can come due.
 */
export class Quiet {
  readonly #options: QuietOptions;
  #writes: string | undefined;
  #dueAt: number | undefined;
  #changedAt = -Infinity;
  #lookedAt = -Infinity;

  constructor(options: QuietOptions) {
    this.#options = options;
  }

  /** Returns whether to read now, and remembers the servers' state as read. Rejects while Redis is away. */
  async ends(): Promise<boolean> {
    const { redis, graceMs, nextDue, now = Date.now } = this.#options;
    const { writes } = await readServers(redis);
    const at = now();
    if (writes === undefined || writes !== this.#writes) {
      this.#writes = writes;
      this.#changedAt = at;
      this.#dueAt = undefined;
    }
    const isDue = at - this.#changedAt <= graceMs || at - this.#lookedAt >= sweepMs;
    // Asked once for as long as nothing is written.
    if (!isDue) this.#dueAt ??= await nextDue();
    if (!isDue && at < (this.#dueAt ?? 0)) return false;
    this.#lookedAt = at;
    return true;
  }
}
