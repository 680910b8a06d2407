import { sql } from "kysely";
import { CreditEvent, stored, type UsageEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";
import { secondSettlements } from "./other-receipts.ts";
import { readCalls, type CallPage } from "./read-calls.ts";
import type { CallPosition } from "./read-positions.ts";

/** Calls per query. */
const callsAtOnce = 5_000;

/**
 * Reads every change of an account's money in pages: all its credits and second settlements, then its calls from a time
 * (Unix ms) on, oldest first.
 */
export async function* readReceipts(
  books: Books,
  account: string,
  from = 0,
): AsyncGenerator<readonly (CreditEvent | UsageEvent)[], undefined> {
  yield [...(await readCredits(books, account)), ...(await secondSettlements(books, account))];
  const filter = { from, to: Number.MAX_SAFE_INTEGER, account };
  const page = (after: CallPosition | undefined): Promise<CallPage> => {
    const reading = readCalls(books, filter, { order: "oldest first", limit: callsAtOnce, after });
    reading.catch(() => undefined); // the reader may stop without waiting for this page
    return reading;
  };
  // The server reads the next page while this process handles the current one.
  for (let reading = page(undefined); ;) {
    const { events, next } = await reading;
    if (next !== undefined) reading = page(next);
    yield events;
    if (next === undefined) return undefined;
  }
}

const readCredit = stored("credit event", CreditEvent);

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

/** Latest receipt of an account in the books. */
export interface LatestReceipt {
  readonly receipts: number;
  readonly head: string;
  readonly balanceNanos: string;
}

/** Reads the latest receipt of an account; undefined if the books contain none. */
export async function readHead({ db }: Books, account: string): Promise<LatestReceipt | undefined> {
  return db
    .selectFrom("accounts")
    .select(["receipts", "head", sql<string>`cast(balance as text)`.as("balanceNanos")])
    .where("account", "=", account)
    .executeTakeFirst();
}
