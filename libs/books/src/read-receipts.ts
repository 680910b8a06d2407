import { sql } from "kysely";
import { CreditEvent, stored, type UsageEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";
import { secondSettlements } from "./other-receipts.ts";
import { readCalls, type CallPage } from "./read-calls.ts";
import type { CallPosition } from "./read-positions.ts";

/** Calls that are read at once. */
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
    reading.catch(() => undefined); // a reader that has enough waits for no more
    return reading;
  };
  // A server reads the next page while this process looks through one.
  for (let reading = page(undefined); ;) {
    const { events, next } = await reading;
    if (next !== undefined) reading = page(next);
    yield events;
    if (next === undefined) return undefined;
  }
}

const readCredit = stored("credit event", CreditEvent);

/** The changes of an account's balance by its operator, oldest first. */
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

/** The newest receipt of an account that the books know. */
export interface Head {
  readonly receipts: number;
  readonly head: string;
  readonly balanceNanos: string;
}

/** The newest receipt of an account; undefined where the books know none. */
export async function readHead({ db }: Books, account: string): Promise<Head | undefined> {
  return db
    .selectFrom("accounts")
    .select(["receipts", "head", sql<string>`cast(balance as text)`.as("balanceNanos")])
    .where("account", "=", account)
    .executeTakeFirst();
}
