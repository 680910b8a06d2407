import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Books } from "../open.ts";

/** A second charge of an account, after its Redis had lost the first. */
export interface Restoration {
  readonly account: string;
  /** RFC 3339. */
  readonly time: string;
  readonly reason: string;
  /** Calls and credits that were put back, and what they come to: below zero where money was taken. */
  readonly calls: number;
  readonly nanos: string;
}

/** Writes down what was put back. */
export async function writeRestoration({ db }: Books, restoration: Restoration): Promise<void> {
  const { account, time, reason, calls, nanos } = restoration;
  await db
    .insertInto("restorations")
    .values({ account, at: Date.parse(time), id: randomUUID(), reason, calls, nanos })
    .execute();
}

/** Reads what was restored of an account, newest first. */
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
