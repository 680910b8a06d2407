import type { Transaction } from "kysely";
import { stored, UsageEvent } from "@modelgate/contracts";
import { changeAccounts, type AccountChange } from "./heads.ts";
import { namesOf } from "./labels.ts";
import type { Books } from "./open.ts";
import { ensurePartitions, forgetPartitions, isWithoutPartition } from "./partitions.ts";
import type { CallRow, Tables } from "./schema.ts";
import { addTotals } from "./add-totals.ts";

const readCall = stored("usage event", UsageEvent);

/** Rows of one statement: SQLite and PostgreSQL bound the parameters of one at 32,766 and 65,535. */
const rowsAtOnce = 500;

/**
 * Writes settled calls into the books, as one transaction: what is there already is left out, and totals are summed from
 * the rows that were really inserted, so that a repeated delivery counts once. Returns the events that were new. Throws
 * RangeError for an event with an invalid time: `isRecordable` checks for it beforehand.
 */
export async function recordCalls(books: Books, events: readonly UsageEvent[]): Promise<readonly UsageEvent[]> {
  if (events.length === 0) return [];
  try {
    return await write(books, events);
  } catch (error) {
    if (!isWithoutPartition(error)) throw error;
    // Another ledger has dropped a day's partition that this one knew of.
    forgetPartitions(books);
    return write(books, events);
  }
}

async function write(books: Books, events: readonly UsageEvent[]): Promise<readonly UsageEvent[]> {
  const rows = events.map(rowOf);
  await ensurePartitions(
    books,
    rows.map(({ at }) => at),
  );
  return books.db.transaction().execute(async (at) => {
    const added: UsageEvent[] = [];
    const known: UsageEvent[] = [];
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const fresh = await insert(at, rows.slice(from, from + rowsAtOnce));
      for (const event of events.slice(from, from + rowsAtOnce))
        (fresh.delete(nameOf(event.accountId, event.id)) ? added : known).push(event);
    }
    await addLabels(at, added);
    await addTotals(at, added);
    await changeAccounts(at, [
      ...added.map(({ accountId, receipt }) => ({ accountId, receipt })),
      ...(await replaceReceipts(at, known)),
    ]);
    return added;
  });
}

/**
 * Gives calls that were charged again, as Redis had lost them, the receipts that they have now. A repetition of what was
 * delivered before, also of the event that they had then, changes nothing.
 */
async function replaceReceipts(at: Transaction<Tables>, known: readonly UsageEvent[]): Promise<AccountChange[]> {
  const changes: AccountChange[] = [];
  for (const event of known.filter(({ receipt }) => receipt?.replaces !== undefined)) {
    const { accountId, id, receipt } = event;
    const row = at.updateTable("calls").where("account", "=", accountId).where("id", "=", id);
    const key = Date.parse(event.time);
    const found = await at
      .selectFrom("calls")
      .select("event")
      .where("account", "=", accountId)
      .where("at", "=", key)
      .where("id", "=", id)
      .executeTakeFirst();
    if (found === undefined) continue;
    const { receipt: before } = readCall(found.event);
    if (before?.hash !== receipt?.replaces) continue;
    await row
      .set({ event: JSON.stringify(event) })
      .where("at", "=", key)
      .execute();
    changes.push({ accountId, receipt, before });
  }
  return changes;
}

/** Writes what the calls are found by beside their columns. */
async function addLabels(at: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  const rows = events.flatMap((event) =>
    namesOf(event).map((label) => ({
      account: event.accountId,
      at: Date.parse(event.time),
      id: event.id,
      ...label,
    })),
  );
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await at
      .insertInto("call_labels")
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Whether an event can stand in the books: whatever else is wrong with it, it has an account, an id and a time. */
export function isRecordable(event: Partial<UsageEvent> | null): boolean {
  if (event === null) return false;
  const { accountId, id, time, costNanos } = event;
  return (
    typeof accountId === "string" &&
    typeof id === "string" &&
    /^\d+$/.test(String(costNanos)) &&
    Math.abs(Date.parse(time ?? "")) < latest
  );
}

/** The end of the year 9999, Unix ms: partitions are named by four-digit years. */
const latest = 253_402_300_800_000;

/** The calls that were really inserted, by `nameOf`. */
async function insert(at: Transaction<Tables>, rows: readonly CallRow[]): Promise<Set<string>> {
  const fresh = await at
    .insertInto("calls")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["account", "id"])
    .execute();
  return new Set(fresh.map(({ account, id }) => nameOf(account, id)));
}

function nameOf(account: string, id: string): string {
  return `${account}\n${id}`;
}

function rowOf(event: UsageEvent): CallRow {
  const at = Date.parse(event.time);
  if (Number.isNaN(at)) throw new RangeError(`call ${event.id} has an invalid time: ${event.time}`);
  return {
    account: event.accountId,
    at,
    id: event.id,
    request: event.requestId,
    token: event.tokenId,
    model: event.model,
    channel: event.channelId,
    outcome: event.outcome,
    status: event.status,
    cost: event.costNanos,
    event: JSON.stringify(event),
  };
}
