import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Books } from "../open.ts";

/**
 * A correction of an account after Redis had lost data: lost entries were charged again, or a second charge was
 * refunded.
 */
export interface Restoration {
  readonly account: string;
  readonly time: string;
  readonly reason: string;
  /** Number of corrected entries: calls and credits. */
  readonly calls: number;
  /** Change of the balance by all entries. */
  readonly nanos: string;
}

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
