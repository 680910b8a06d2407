import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Books } from "../open.ts";

/**
 * Restoration of an account: entries that were charged again after Redis had lost them, or the refund of a call that
 * was settled twice.
 */
export interface Restoration {
  readonly account: string;
  /** Time of the restoration (RFC 3339). */
  readonly time: string;
  readonly reason: string;
  /**
   * Number of calls and credits that were charged again, and the sum of their amounts (negative if money was taken).
   */
  readonly calls: number;
  readonly nanos: string;
}

/** Stores a restoration, which operators can read with the account. */
export async function writeRestoration({ db }: Books, restoration: Restoration): Promise<void> {
  const { account, time, reason, calls, nanos } = restoration;
  await db
    .insertInto("restorations")
    .values({ account, at: Date.parse(time), id: randomUUID(), reason, calls, nanos })
    .execute();
}

/** Reads the restorations of an account, newest first. */
export async function readRestorations({ db }: Books, account: string, limit: number): Promise<readonly Restoration[]> {
  const rows = await db
    .selectFrom("restorations")
    .select(["account", "at", "reason", "calls", sql<string>`cast(nanos as text)`.as("nanos")])
    .where("account", "=", account)
    .orderBy("at", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ at, ...row }) => ({ ...row, time: new Date(at).toISOString() }));
}
