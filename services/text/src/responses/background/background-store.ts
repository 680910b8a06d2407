import { shardOf } from "@modelgate/accounts";
import { defineScript, executeTransaction, orUnavailable } from "@modelgate/platform";
import type { RecordStore } from "../record-cipher.ts";

/** Account and id of a background response. */
export interface BackgroundRef {
  readonly accountId: string;
  readonly id: string;
}

/** Limits of background responses in Redis. */
export interface BackgroundStoreLimits {
  /** Time in ms without a lease renewal after which the process of a response is assumed to be dead. */
  readonly leaseMs: number;
  /** Maximum duration of a response in ms. */
  readonly maxDurationMs: number;
  /** Maximum background responses of one API key at the same time. */
  readonly maxPerToken: number;
  /** Time in ms for which events can be read after the last one was added. */
  readonly eventsLifetimeMs: number;
}

/**
 * Result of a lease renewal. "cancelled": the response must be cancelled; "deleted": it must not be stored; "lost":
 * another process has marked it as failed.
 */
type LeaseRenewal = "renewed" | "cancelled" | "deleted" | "lost";

const takeLeaseScript = defineScript({
  file: new URL("take-lease.lua", import.meta.url),
  keys: ["lease", "open"],
  args: { id: "text", maxOpen: "number", leaseMs: "number" },
  replies: { taken: {}, full: {} },
});
const renewScript = defineScript({
  file: new URL("renew.lua", import.meta.url),
  keys: ["lease", "open"],
  args: { id: "text", leaseMs: "number" },
  replies: { renewed: {}, cancelled: {}, deleted: {}, lost: {} } satisfies Record<LeaseRenewal, object>,
});

/** Returns the Redis keys of an account's background responses. All are in one slot of a Redis cluster. */
function keysOf(accountId: string) {
  const owner = `{s${shardOf(accountId)}}:${accountId}`;
  return {
    lease: (id: string) => `background:${owner}:${id}`,
    events: (id: string) => `background-events:${owner}:${id}`,
    open: (tokenId: string) => `background-open:${owner}:${tokenId}`,
  };
}

/** State of background responses that all processes share through Redis. */
export class BackgroundStore {
  readonly #redis: RecordStore["redis"];
  readonly #quota: RecordStore["quota"];
  readonly #cipher: RecordStore["cipher"];
  readonly #limits: BackgroundStoreLimits;

  constructor({ redis, quota, cipher }: RecordStore, limits: BackgroundStoreLimits) {
    this.#redis = redis;
    this.#quota = quota;
    this.#cipher = cipher;
    this.#limits = limits;
  }

  /** Takes the lease of a new response. Returns false if its API key has reached its limit. */
  async takeLease({ accountId, id }: BackgroundRef, tokenId: string): Promise<boolean> {
    const { lease, open } = keysOf(accountId);
    const { leaseMs, maxPerToken } = this.#limits;
    const keys = { lease: lease(id), open: open(tokenId) };
    const { verdict } = await orUnavailable(takeLeaseScript(this.#redis, keys, { id, maxOpen: maxPerToken, leaseMs }));
    return verdict === "taken";
  }

  async renew({ accountId, id }: BackgroundRef, tokenId: string): Promise<LeaseRenewal> {
    const { lease, open } = keysOf(accountId);
    const { leaseMs } = this.#limits;
    return (await renewScript(this.#redis, { lease: lease(id), open: open(tokenId) }, { id, leaseMs })).verdict;
  }

  /** Releases the lease of a response. */
  async releaseLease({ accountId, id }: BackgroundRef, tokenId: string): Promise<void> {
    const { lease, open } = keysOf(accountId);
    await this.#redis.del(lease(id));
    await this.#redis.zrem(open(tokenId), id);
  }

  /** Returns true if the response has a lease: it is queued, or a process generates it. */
  async hasLease({ accountId, id }: BackgroundRef): Promise<boolean> {
    const state = await orUnavailable(this.#redis.get(keysOf(accountId).lease(id)));
    return state !== null && state !== "failed";
  }

  /** Marks a response without a lease as failed, so that its process does not store it. Returns false if it has one. */
  async markFailed(background: BackgroundRef): Promise<boolean> {
    const { accountId, id } = background;
    const { maxDurationMs } = this.#limits;
    const marked = await orUnavailable(
      this.#redis.set(keysOf(accountId).lease(id), "failed", "PX", maxDurationMs, "NX"),
    );
    return marked !== null || !(await this.hasLease(background));
  }

  /** Asks the process that generates the response to cancel it. */
  async requestCancel({ accountId, id }: BackgroundRef): Promise<void> {
    await orUnavailable(this.#redis.set(keysOf(accountId).lease(id), "cancel", "KEEPTTL", "XX"));
  }

  /** Marks a response as deleted. If a process still generates it, that process does not store the result. */
  async markDeleted({ accountId, id }: BackgroundRef): Promise<void> {
    const { maxDurationMs } = this.#limits;
    await orUnavailable(this.#redis.set(keysOf(accountId).lease(id), "deleted", "PX", maxDurationMs));
  }

  /** Appends events. Returns false if the account has reached its storage limit. */
  async addEvents({ accountId, id }: BackgroundRef, events: readonly string[]): Promise<boolean> {
    const { eventsLifetimeMs } = this.#limits;
    const key = keysOf(accountId).events(id);
    const encrypted = events.map((event) => this.#cipher.encrypt(Buffer.from(event), key));
    const bytes = encrypted.reduce((sum, event) => sum + event.length, 0);
    if (!(await this.#quota.addBytes({ accountId, record: key }, bytes, eventsLifetimeMs))) return false;
    await this.#append(key, encrypted);
    return true;
  }

  /** Appends the final event even if the account has reached its storage limit, because clients wait for it. */
  async addFinalEvent({ accountId, id }: BackgroundRef, event: string): Promise<void> {
    const key = keysOf(accountId).events(id);
    const encrypted = this.#cipher.encrypt(Buffer.from(event), key);
    await this.#quota.addBytesBeyondLimit({ accountId, record: key }, encrypted.length, this.#limits.eventsLifetimeMs);
    await this.#append(key, [encrypted]);
  }

  /** Appends records with their time to live in one transaction. Otherwise they could remain forever. */
  async #append(key: string, records: readonly Buffer[]): Promise<void> {
    await executeTransaction(
      this.#redis
        .multi()
        .rpush(key, ...records)
        .pexpire(key, this.#limits.eventsLifetimeMs),
    );
  }

  /** Returns at most `maxEvents` events from the index `from`; a negative index starts from the end. */
  async events({ accountId, id }: BackgroundRef, from: number, maxEvents: number): Promise<readonly string[]> {
    const key = keysOf(accountId).events(id);
    const records = await orUnavailable(this.#redis.lrangeBuffer(key, from, from + maxEvents - 1));
    return records.flatMap((record) => this.#cipher.decrypt(record, key)?.toString() ?? []);
  }

  async countEvents({ accountId, id }: BackgroundRef): Promise<number> {
    return await orUnavailable(this.#redis.llen(keysOf(accountId).events(id)));
  }

  async removeEvents({ accountId, id }: BackgroundRef): Promise<void> {
    const key = keysOf(accountId).events(id);
    await this.#redis.del(key);
    await this.#quota.release({ accountId, record: key });
  }
}
