import { Failure } from "@modelgate/contracts";
import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { clockScript } from "../shared-scripts.ts";

/** Maximum content of one account, over all kinds. */
export interface ContentLimits {
  readonly maxBytes: number;
  readonly maxRecords: number;
}

/** A record of content: a stored response, a conversation, a thread, events, settings of a client secret. */
export interface ContentRecord {
  readonly accountId: string;
  /** Unique among the account's records. */
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
    lifetimeMs: "number",
    maxBytes: "number",
    maxRecords: "number",
    nowMs: "number?",
  },
  replies: { kept: {}, full: {} },
});

/**
 * Counts what accounts keep, before it is written. A record that expires, or is dropped, gives its share back. All counts of
 * an account are in one Redis, that of the content.
 */
export class ContentBook {
  readonly #redis: Redis;
  readonly #limits: ContentLimits;
  readonly #now: () => number | undefined;

  /** `now` replaces Redis' own time in tests. */
  constructor(redis: Redis, limits: ContentLimits, now: () => number | undefined = () => undefined) {
    this.#redis = redis;
    this.#limits = limits;
    this.#now = now;
  }

  /** Takes the share of a record of `bytes`, instead of the one that it has; false where the account has none left. */
  async keep(record: ContentRecord, bytes: number, lifetimeMs: number): Promise<boolean> {
    return await this.#count(record, { bytes, adds: false, lifetimeMs });
  }

  /** Lets a record grow, or shrink where `bytes` is negative; false where the account has no share left. */
  async grow(record: ContentRecord, bytes: number, lifetimeMs: number): Promise<boolean> {
    return await this.#count(record, { bytes, adds: true, lifetimeMs });
  }

  /** Releases the share of a record. */
  async drop(record: ContentRecord): Promise<void> {
    await this.#count(record, { bytes: 0, adds: false, lifetimeMs: 0 });
  }

  async #count(
    { accountId, record }: ContentRecord,
    change: { readonly bytes: number; readonly adds: boolean; readonly lifetimeMs: number },
  ): Promise<boolean> {
    const keys = { sizes: accountKeys.contentSizes(accountId), expiries: accountKeys.contentExpiries(accountId) };
    const args = { record, ...change, ...this.#limits, nowMs: this.#now() };
    return (await orUnavailable(keepScript(this.#redis, keys, args))).verdict === "kept";
  }
}

/** Maximum number of records that one account keeps. */
const maxRecords = 100_000;

/** Opens the book of a Redis of content. */
export function openContentBook(redis: Redis, { maxBytes }: Pick<ContentLimits, "maxBytes">): ContentBook {
  return new ContentBook(redis, { maxBytes, maxRecords });
}

/** Returns the failure of a request that would keep more than the account may. */
export function contentFull(): Failure {
  return new Failure("content_limit_exceeded");
}
