import { Failure } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { clockScript } from "../shared-scripts.ts";

/** Maximum stored content of one account, over all kinds together. */
export interface ContentLimits {
  readonly maxBytes: number;
  readonly maxRecords: number;
}

/** A record of content: a stored response, a conversation, a thread, events, or the settings of a client secret. */
export interface ContentRecord {
  readonly accountId: string;
  /** Name of the record, unique within the account. */
  readonly record: string;
}

const keepScript = defineScript({
  file: new URL("keep.lua", import.meta.url),
  shared: [clockScript],
  keys: ["sizes", "expiries"],
  args: {
    record: "text",
    bytes: "number",
    adds: "flag",
    required: "flag",
    lifetimeMs: "number",
    maxBytes: "number",
    maxRecords: "number",
    nowMs: "number?",
  },
  replies: { kept: {}, full: {} },
});

/**
 * Counts the content that accounts store, before it is written. The share of a record is released when it expires or is
 * dropped. All counts of an account are in the Redis of the content.
 */
export class ContentBook {
  readonly #redis: Redis;
  readonly #limits: ContentLimits;
  readonly #now: () => number | undefined;

  /** `now` replaces Redis' clock in tests. */
  constructor(redis: Redis, limits: ContentLimits, now: () => number | undefined = () => undefined) {
    this.#redis = redis;
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Takes a share of `bytes` for a record, in place of its previous one. Returns false if the account has none left.
   */
  async keep(record: ContentRecord, bytes: number, lifetimeMs: number): Promise<boolean> {
    return await this.#count(record, { bytes, adds: false, lifetimeMs });
  }

  /**
   * Increases the share of a record, or decreases it if `bytes` is negative. Returns false if the account has none
   * left.
   */
  async grow(record: ContentRecord, bytes: number, lifetimeMs: number): Promise<boolean> {
    return await this.#count(record, { bytes, adds: true, lifetimeMs });
  }

  /** Increases the share of a record even beyond the account's limit, for content that must not be missing. */
  async growRequired(record: ContentRecord, bytes: number, lifetimeMs: number): Promise<void> {
    await this.#count(record, { bytes, adds: true, required: true, lifetimeMs });
  }

  /** Releases the share of a record. */
  async drop(record: ContentRecord): Promise<void> {
    await this.#count(record, { bytes: 0, adds: false, lifetimeMs: 0 });
  }

  async #count(
    { accountId, record }: ContentRecord,
    change: {
      readonly bytes: number;
      readonly adds: boolean;
      readonly required?: boolean;
      readonly lifetimeMs: number;
    },
  ): Promise<boolean> {
    const keys = { sizes: accountKeys.contentSizes(accountId), expiries: accountKeys.contentExpiries(accountId) };
    const args = { record, required: false, ...change, ...this.#limits, nowMs: this.#now() };
    return (await orUnavailable(keepScript(this.#redis, keys, args))).verdict === "kept";
  }
}

/** Maximum number of records that one account stores. */
const maxRecords = 100_000;

/** Opens the counts in a Redis of content. */
export function openContentBook(redis: Redis, { maxBytes }: Pick<ContentLimits, "maxBytes">): ContentBook {
  return new ContentBook(redis, { maxBytes, maxRecords });
}

/** Returns the failure of a request that would exceed the account's maximum of stored content. */
export function contentFull(): Failure {
  return new Failure("content_limit_exceeded");
}
