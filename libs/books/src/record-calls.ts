import type { Transaction } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import { limitTags } from "./limit-tags.ts";
import { changeAccounts } from "./heads.ts";
import { labelsOf } from "./labels.ts";
import type { Books } from "./open.ts";
import { recordReplacedReceipts, applyRepeatedEvents } from "./other-receipts.ts";
import { ensurePartitions, clearPartitionCache, isMissingPartition } from "./partitions.ts";
import type { CallRow, Tables } from "./schema.ts";
import { addDailyFirstByteTimes, addHourlyFirstByteTimes, addTagFirstByteTimes } from "./first-bytes.ts";
import { executeInBatches, rowsPerStatement } from "./in-parts.ts";
import { callName, sortByCallName } from "./read-positions.ts";
import { addTagTotals, addTotals } from "./add-totals.ts";

/**
 * Stores settled calls. A repeated call is not added to totals again. Returns the new calls. Throws RangeError for an
 * invalid time (see `isRecordable`).
 */
export async function recordCalls(books: Books, events: readonly UsageEvent[]): Promise<readonly UsageEvent[]> {
  if (events.length === 0) return [];
  try {
    return await writeCalls(books, events);
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    // Another ledger has dropped a partition.
    clearPartitionCache(books);
    return writeCalls(books, events);
  }
}

async function writeCalls(books: Books, events: readonly UsageEvent[]): Promise<readonly UsageEvent[]> {
  await ensurePartitions(books, events.map(timeOf));
  return books.db.transaction().execute(async (transaction) => {
    const added: UsageEvent[] = [];
    const repeated: UsageEvent[] = [];
    for (let from = 0; from < events.length; from += rowsPerStatement) {
      const batch = events.slice(from, from + rowsPerStatement);
      const [fresh, known] = splitByName(batch, await insertIds(transaction, batch));
      // An earlier version stores calls without ids, so the call may exist although its id is new.
      const [inserted, recorded] = splitByName(
        fresh,
        fresh.length === 0 ? new Set() : await insertCalls(transaction, fresh.map(rowOf)),
      );
      added.push(...inserted);
      repeated.push(...known, ...recorded);
    }
    const tagged = await limitTags(books, transaction, added);
    await addLabels(transaction, tagged);
    await addTotals(transaction, tagged);
    await addHourlyFirstByteTimes(transaction, added);
    await recordReplacedReceipts(transaction, added);
    await changeAccounts(transaction, [
      ...added.map(({ accountId, receipt }) => ({ accountId, receipt })),
      ...(await applyRepeatedEvents(transaction, repeated)),
    ]);
    await addTagTotals(transaction, tagged);
    await addTagFirstByteTimes(transaction, tagged);
    await addDailyFirstByteTimes(transaction, added);
    return added;
  });
}

/** Splits events by whether `names` contains them. Removes found names, so that a duplicate is not found again. */
function splitByName(
  events: readonly UsageEvent[],
  names: Set<string>,
): readonly [readonly UsageEvent[], readonly UsageEvent[]] {
  const [found, others]: [UsageEvent[], UsageEvent[]] = [[], []];
  for (const event of events) (names.delete(callName(event.accountId, event.id)) ? found : others).push(event);
  return [found, others];
}

/** Inserts call ids. Returns the names of new calls. */
async function insertIds(transaction: Transaction<Tables>, events: readonly UsageEvent[]): Promise<Set<string>> {
  const insertedRows = await transaction
    .insertInto("call_ids")
    .values(
      sortByCallName(events).map((event) => ({
        account: event.accountId,
        id: event.id,
        at: timeOf(event),
        request: event.requestId,
        upstream: typeof event.upstreamRequestId === "string" ? event.upstreamRequestId : "",
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(["account", "id"])
    .execute();
  return new Set(insertedRows.map(({ account, id }) => callName(account, id)));
}

async function addLabels(transaction: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  const rows = events.flatMap((event) =>
    labelsOf(event).map((label) => ({
      account: event.accountId,
      at: Date.parse(event.time),
      id: event.id,
      ...label,
    })),
  );
  await executeInBatches(rows, (batch) =>
    transaction
      .insertInto("call_labels")
      .values(batch)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Returns whether the books can store an event. Only its account, id, cost and time are checked. */
export function isRecordable(event: Partial<UsageEvent> | null): boolean {
  if (event === null) return false;
  const { accountId, id, time, costNanos } = event;
  return (
    typeof accountId === "string" &&
    typeof id === "string" &&
    /^\d+$/.test(String(costNanos)) &&
    Math.abs(Date.parse(time ?? "")) < maxTime
  );
}

/** End of the year 9999 in Unix ms. */
const maxTime = 253_402_300_800_000;

/** Inserts calls. Returns the names of new ones. */
async function insertCalls(transaction: Transaction<Tables>, rows: readonly CallRow[]): Promise<Set<string>> {
  const insertedRows = await transaction
    .insertInto("calls")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["account", "id"])
    .execute();
  return new Set(insertedRows.map(({ account, id }) => callName(account, id)));
}

function timeOf({ id, time }: UsageEvent): number {
  const timeMs = Date.parse(time);
  if (Number.isNaN(timeMs)) throw new RangeError(`call ${id} has an invalid time: ${time}`);
  return timeMs;
}

function rowOf(event: UsageEvent): CallRow {
  return {
    account: event.accountId,
    at: timeOf(event),
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
