import type { Transaction } from "kysely";
import type { UsageEvent } from "@modelgate/contracts";
import { boundTags } from "./bound-tags.ts";
import { changeAccounts } from "./heads.ts";
import { labelsOf } from "./labels.ts";
import type { Books } from "./open.ts";
import { rememberReplaced, settledAgain } from "./other-receipts.ts";
import { ensurePartitions, forgetPartitions, isWithoutPartition } from "./partitions.ts";
import type { CallRow, Tables } from "./schema.ts";
import { addDailyFirstBytes, addFirstBytes, addTagFirstBytes } from "./first-bytes.ts";
import { inParts, rowsAtOnce } from "./in-parts.ts";
import { addTagTotals, addTotals } from "./add-totals.ts";

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
  await ensurePartitions(books, events.map(timeOf));
  return books.db.transaction().execute(async (at) => {
    const added: UsageEvent[] = [];
    const known: UsageEvent[] = [];
    for (let from = 0; from < events.length; from += rowsAtOnce) {
      const several = events.slice(from, from + rowsAtOnce);
      const [fresh, there] = parted(several, await insertIds(at, several));
      // An earlier version, which runs beside this one during an upgrade, writes no ids.
      const [inserted, written] = parted(fresh, fresh.length === 0 ? new Set() : await insert(at, fresh.map(rowOf)));
      added.push(...inserted);
      known.push(...there, ...written);
    }
    const tagged = await boundTags(books, at, added);
    await addLabels(at, tagged);
    await addTotals(at, tagged);
    await addFirstBytes(at, added);
    await rememberReplaced(at, added);
    await changeAccounts(at, [
      ...added.map(({ accountId, receipt }) => ({ accountId, receipt })),
      ...(await settledAgain(at, known)),
    ]);
    await addTagTotals(at, tagged);
    await addTagFirstBytes(at, tagged);
    await addDailyFirstBytes(at, added);
    return added;
  });
}

/** Those whose call is among the names, each name once, and the others. */
function parted(
  events: readonly UsageEvent[],
  names: Set<string>,
): readonly [readonly UsageEvent[], readonly UsageEvent[]] {
  const [among, others]: [UsageEvent[], UsageEvent[]] = [[], []];
  for (const event of events) (names.delete(nameOf(event.accountId, event.id)) ? among : others).push(event);
  return [among, others];
}

/** The calls whose ids were not there, by `nameOf`. */
async function insertIds(at: Transaction<Tables>, events: readonly UsageEvent[]): Promise<Set<string>> {
  const fresh = await at
    .insertInto("call_ids")
    .values(
      // In one order, so that two ledgers wait for each other and do not lock each other out.
      inOrder(events).map((event) => ({
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
  return new Set(fresh.map(({ account, id }) => nameOf(account, id)));
}

function inOrder(events: readonly UsageEvent[]): readonly UsageEvent[] {
  return events.toSorted((left, right) =>
    nameOf(left.accountId, left.id) < nameOf(right.accountId, right.id) ? -1 : 1,
  );
}

/** Writes what the calls are found by beside their columns. */
async function addLabels(at: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  const rows = events.flatMap((event) =>
    labelsOf(event).map((label) => ({
      account: event.accountId,
      at: Date.parse(event.time),
      id: event.id,
      ...label,
    })),
  );
  await inParts(rows, (several) =>
    at
      .insertInto("call_labels")
      .values(several)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Returns true if the books can store an event: it has an account, an id and a time, whatever else is wrong. */
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

function timeOf({ id, time }: UsageEvent): number {
  const at = Date.parse(time);
  if (Number.isNaN(at)) throw new RangeError(`call ${id} has an invalid time: ${time}`);
  return at;
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
