import { shardOf } from "@modelgate/accounts";
import { defineScript, orUnavailable } from "@modelgate/platform";
import type { RecordStore } from "../record-seal.ts";

/** A response that is made in the background, by its owner. */
export interface BackgroundId {
  readonly accountId: string;
  readonly id: string;
}

/** Bounds of what Redis holds of background responses. */
export interface BackgroundStoreLimits {
  /** Time without a sign of life after which a process that works on one counts as dead. */
  readonly leaseMs: number;
  /** Responses of one token that may be made at once. */
  readonly perToken: number;
  /** Time for which the events of one can be read again, from the last that was added. */
  readonly eventsLifetimeMs: number;
}

/** Result of the renewal of a lease: it holds, the response is to be cancelled, or it was given up. */
type LeaseRenewal = "renewed" | "cancelled" | "lost";

const enterScript = defineScript({
  file: new URL("enter.lua", import.meta.url),
  keys: ["lease", "open"],
  args: { id: "text", most: "number", leaseMs: "number" },
  replies: { entered: {}, full: {} },
});
const renewScript = defineScript({
  file: new URL("renew.lua", import.meta.url),
  keys: ["lease", "open"],
  args: { id: "text", leaseMs: "number" },
  replies: { renewed: {}, cancelled: {}, lost: {} } satisfies Record<LeaseRenewal, object>,
});

/** Redis keys of an account's background responses, all in its slot. */
function keysOf(accountId: string) {
  const owner = `{s${shardOf(accountId)}}:${accountId}`;
  return {
    lease: (id: string) => `background:${owner}:${id}`,
    events: (id: string) => `background-events:${owner}:${id}`,
    open: (tokenId: string) => `background-open:${owner}:${tokenId}`,
  };
}

/** State that processes share of the responses that they make in the background. */
export class BackgroundStore {
  readonly #redis: RecordStore["redis"];
  readonly #book: RecordStore["book"];
  readonly #seal: RecordStore["seal"];
  readonly #limits: BackgroundStoreLimits;

  constructor({ redis, book, seal }: RecordStore, limits: BackgroundStoreLimits) {
    this.#redis = redis;
    this.#book = book;
    this.#seal = seal;
    this.#limits = limits;
  }

  /** Takes the lease of a new one; false where its token has as many as it may. */
  async enter({ accountId, id }: BackgroundId, tokenId: string): Promise<boolean> {
    const { lease, open } = keysOf(accountId);
    const { leaseMs, perToken } = this.#limits;
    const keys = { lease: lease(id), open: open(tokenId) };
    const { verdict } = await orUnavailable(enterScript(this.#redis, keys, { id, most: perToken, leaseMs }));
    return verdict === "entered";
  }

  /** Keeps the lease for another while. */
  async renew({ accountId, id }: BackgroundId, tokenId: string): Promise<LeaseRenewal> {
    const { lease, open } = keysOf(accountId);
    const { leaseMs } = this.#limits;
    return (await renewScript(this.#redis, { lease: lease(id), open: open(tokenId) }, { id, leaseMs })).verdict;
  }

  /** Gives the lease and the seat back. */
  async leave({ accountId, id }: BackgroundId, tokenId: string): Promise<void> {
    const { lease, open } = keysOf(accountId);
    await this.#redis.del(lease(id));
    await this.#redis.zrem(open(tokenId), id);
  }

  /** Returns true while a process works on it. */
  async isHeld({ accountId, id }: BackgroundId): Promise<boolean> {
    return (await orUnavailable(this.#redis.exists(keysOf(accountId).lease(id)))) > 0;
  }

  /** Asks the process that works on it, if any, to end it. */
  async askToCancel({ accountId, id }: BackgroundId): Promise<void> {
    await orUnavailable(this.#redis.set(keysOf(accountId).lease(id), "cancel", "KEEPTTL", "XX"));
  }

  /** Adds events behind those there are; false where the account keeps as much as it may. */
  async addEvents({ accountId, id }: BackgroundId, events: readonly string[]): Promise<boolean> {
    const { eventsLifetimeMs } = this.#limits;
    const key = keysOf(accountId).events(id);
    const sealed = events.map((event) => this.#seal.seal(Buffer.from(event), key));
    const bytes = sealed.reduce((sum, event) => sum + event.length, 0);
    if (!(await this.#book.grow({ accountId, record: key }, bytes, eventsLifetimeMs))) return false;
    await this.#redis.rpush(key, ...sealed);
    await this.#redis.pexpire(key, eventsLifetimeMs);
    return true;
  }

  /** Adds the event that ends a response, whatever its account keeps: who follows the events waits for it. */
  async addFinalEvent({ accountId, id }: BackgroundId, event: string): Promise<void> {
    const key = keysOf(accountId).events(id);
    await this.#redis.rpush(key, this.#seal.seal(Buffer.from(event), key));
    await this.#redis.pexpire(key, this.#limits.eventsLifetimeMs);
  }

  /** At most so many events from one on; an index below zero counts from the end. */
  async events({ accountId, id }: BackgroundId, from: number, most: number): Promise<readonly string[]> {
    const key = keysOf(accountId).events(id);
    const records = await orUnavailable(this.#redis.lrangeBuffer(key, from, from + most - 1));
    return records.flatMap((record) => this.#seal.open(record, key)?.toString() ?? []);
  }

  async countEvents({ accountId, id }: BackgroundId): Promise<number> {
    return await orUnavailable(this.#redis.llen(keysOf(accountId).events(id)));
  }

  async removeEvents({ accountId, id }: BackgroundId): Promise<void> {
    const key = keysOf(accountId).events(id);
    await this.#book.drop({ accountId, record: key });
    await this.#redis.del(key);
  }
}
