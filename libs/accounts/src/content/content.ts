import { Failure } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { contentScripts } from "../shared-scripts.ts";

/** Maximum content that one account may store, of all kinds together. */
export interface ContentLimits {
  readonly maxBytes: number;
  readonly maxRecords: number;
}

/** Identifies a stored response, conversation, thread, events of a response, or settings of a client secret. */
export interface ContentRecord {
  readonly accountId: string;
  readonly record: string;
}

const countScript = defineScript({
  file: new URL("count.lua", import.meta.url),
  shared: contentScripts,
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
  replies: { counted: {}, full: {} },
});

/**
 * Counts the bytes of the content that each account stores. Call it before content is written, or count in the script
 * that writes the content (`contentScripts`). The bytes of a record are released when it expires or is released.
 */
export class ContentQuota {
  readonly limits: ContentLimits;
  readonly #redis: Redis;
  readonly #now: () => number | undefined;

  /** `now` replaces Redis' clock in tests. */
  constructor(redis: Redis, limits: ContentLimits, now: () => number | undefined = () => undefined) {
    this.#redis = redis;
    this.limits = limits;
    this.#now = now;
  }

  /** Sets the bytes of a record. Returns false, and changes nothing, if the account's limit would be exceeded. */
  async setBytes(record: ContentRecord, bytes: number, lifetimeMs: number): Promise<boolean> {
    return await this.#count(record, { bytes, adds: false, lifetimeMs });
  }

  /**
   * Adds `bytes`, which may be negative, to those of a record. Returns false, and changes nothing, if the account's
   * limit would be exceeded.
   */
  async addBytes(record: ContentRecord, bytes: number, lifetimeMs: number): Promise<boolean> {
    return await this.#count(record, { bytes, adds: true, lifetimeMs });
  }

  /** Adds `bytes` to a record's size even beyond the account's limit, for content that must not be missing. */
  async addBytesBeyondLimit(record: ContentRecord, bytes: number, lifetimeMs: number): Promise<void> {
    await this.#count(record, { bytes, adds: true, required: true, lifetimeMs });
  }

  async release(record: ContentRecord): Promise<void> {
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
    const args = { record, required: false, ...change, ...this.limits, nowMs: this.#now() };
    return (await orUnavailable(countScript(this.#redis, keys, args))).verdict === "counted";
  }
}

const maxRecords = 100_000;

/** Opens the quota of stored content. `redis` is the Redis for clients' content. */
export function openContentQuota(redis: Redis, { maxBytes }: Pick<ContentLimits, "maxBytes">): ContentQuota {
  return new ContentQuota(redis, { maxBytes, maxRecords });
}

/** Creates the failure of a request that would exceed the account's limit of stored content. */
export function contentLimitFailure(): Failure {
  return new Failure("content_limit_exceeded");
}
