import { sql } from "kysely";
import { CreditEvent, recordParser, type UsageEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";
import { readSecondSettlements } from "./other-receipts.ts";
import { readCalls, type CallPage } from "./read-calls.ts";
import type { CallPosition } from "./read-positions.ts";

const callsPerQuery = 5_000;

/**
 * Reads all changes of an account's balance in pages: first credits and second settlements, then calls since `from`
 * (Unix ms).
 */
export async function* readReceipts(
  books: Books,
  account: string,
  from = 0,
): AsyncGenerator<readonly (CreditEvent | UsageEvent)[], undefined> {
  yield [...(await readCredits(books, account)), ...(await readSecondSettlements(books, account))];
  const filter = { from, to: Number.MAX_SAFE_INTEGER, account };
  const page = (after: CallPosition | undefined): Promise<CallPage> => {
    const reading = readCalls(books, filter, { order: "oldest first", limit: callsPerQuery, after });
    reading.catch(() => undefined); // the caller may stop without waiting for this page
    return reading;
  };
  // Requests the next page before the caller handles this one.
  for (let reading = page(undefined); ;) {
    const { events, next } = await reading;
    if (next !== undefined) reading = page(next);
    yield events;
    if (next === undefined) return undefined;
  }
}

const readCredit = recordParser("credit event", CreditEvent);

/** Reads the credits of an account, oldest first. */
export async function readCredits({ db }: Books, account: string): Promise<readonly CreditEvent[]> {
  const rows = await db
    .selectFrom("credits")
    .select("event")
    .where("account", "=", account)
    .orderBy("at")
    .orderBy("operation")
    .execute();
  return rows.map(({ event }) => readCredit(event));
}

/** Last receipt of an account, and the balance after it. */
export interface LatestReceipt {
  readonly receipts: number;
  readonly head: string;
  readonly balanceNanos: string;
}

/** Reads the last receipt of an account; undefined if the account is unknown. */
export async function readLatestReceipt({ db }: Books, account: string): Promise<LatestReceipt | undefined> {
  return db
    .selectFrom("accounts")
    .select(["receipts", "head", sql<string>`cast(balance as text)`.as("balanceNanos")])
    .where("account", "=", account)
    .executeTakeFirst();
}
