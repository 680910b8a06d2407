import type { Transaction } from "kysely";
import { readUsageEvent, type UsageEvent } from "@modelgate/contracts";
import type { AccountChange } from "./heads.ts";
import type { Books } from "./open.ts";
import { callName, sortByCallName, readCallsAt } from "./read-positions.ts";
import type { Tables } from "./schema.ts";

const callsPerQuery = 500;

/** A second settlement of a call, after Redis had lost the first one. Its charge must be refunded. */
export interface SecondSettlement {
  readonly event: UsageEvent;
  readonly operation: string;
}

/** Records the receipts that new calls replaced, because events with these receipts may still arrive. */
export async function recordReplacedReceipts(
  transaction: Transaction<Tables>,
  added: readonly UsageEvent[],
): Promise<void> {
  for (const event of added) {
    const { replaces } = event.receipt ?? {};
    if (replaces !== undefined) await insertReplacedReceipt(transaction, event, replaces);
  }
}

/**
 * Handles events of stored calls. A repeated event has no effect; a new charge of a lost call replaces its receipt; any
 * other receipt is a second settlement. Returns the changes of accounts.
 */
export async function applyRepeatedEvents(
  transaction: Transaction<Tables>,
  events: readonly UsageEvent[],
): Promise<readonly AccountChange[]> {
  const changes: AccountChange[] = [];
  for (let from = 0; from < events.length; from += callsPerQuery) {
    const batch = await lockChangedCalls(transaction, events.slice(from, from + callsPerQuery));
    const stored = await readStoredCalls(transaction, batch);
    for (const event of batch) {
      const name = callName(event.accountId, event.id);
      const before = stored.get(name);
      if (before === undefined) continue;
      const change = await applyRepeatedEvent(transaction, event, before);
      if (change === undefined) continue;
      changes.push(change);
      if (change.now !== undefined) stored.set(name, change.now);
    }
  }
  return changes;
}

/**
 * Returns the events whose receipt differs from that of their stored call, and locks their calls. Without the lock, two
 * transactions could both store the same event.
 */
async function lockChangedCalls(
  transaction: Transaction<Tables>,
  events: readonly UsageEvent[],
): Promise<readonly UsageEvent[]> {
  const stored = await readStoredCalls(transaction, events);
  const changed = events.filter(
    (event) => stored.get(callName(event.accountId, event.id))?.receipt?.hash !== event.receipt?.hash,
  );
  await lockCalls(transaction, changed);
  return changed;
}

/** Locks calls until the transaction ends. */
export async function lockCalls(transaction: Transaction<Tables>, events: readonly UsageEvent[]): Promise<void> {
  for (const { accountId, id } of sortByCallName(events))
    await transaction
      .updateTable("call_ids")
      .set({ id })
      .where("account", "=", accountId)
      .where("id", "=", id)
      .execute();
}

/** Reads the stored calls of events, by `callName`. */
export async function readStoredCalls(
  transaction: Transaction<Tables>,
  events: readonly UsageEvent[],
): Promise<Map<string, UsageEvent>> {
  if (events.length === 0) return new Map();
  const positions = await transaction
    .selectFrom("call_ids")
    .select(["account", "at", "id"])
    .where("account", "in", [...new Set(events.map(({ accountId }) => accountId))])
    .where("id", "in", [...new Set(events.map(({ id }) => id))])
    .execute();
  const storedEvents = (await readCallsAt(transaction, positions)).map(({ event }) => readUsageEvent(event));
  return new Map(storedEvents.map((event) => [callName(event.accountId, event.id), event]));
}

/** Stores a repeated event. Returns the change of its account, and `now` if the stored call changes. */
async function applyRepeatedEvent(
  transaction: Transaction<Tables>,
  event: UsageEvent,
  before: UsageEvent,
): Promise<(AccountChange & { readonly now?: UsageEvent }) | undefined> {
  const { accountId, receipt } = event;
  if (receipt === undefined || before.receipt === undefined) return undefined;
  if (receipt.hash === before.receipt.hash || receipt.hash === before.receipt.replaces) return undefined;
  const otherReceipts = await transaction
    .selectFrom("other_receipts")
    .select(["hash", "event", "refunded", "operation"])
    .where("account", "=", accountId)
    .where("hash", "in", [receipt.hash, receipt.replaces ?? receipt.hash])
    .execute();
  if (otherReceipts.some(({ hash }) => hash === receipt.hash)) return undefined;
  const replaced = otherReceipts.find(({ hash }) => hash === receipt.replaces);
  if (replaced !== undefined && replaced.event !== "") {
    await insertSecondSettlement(transaction, event, replaced);
    await transaction
      .updateTable("other_receipts")
      .set({ event: "", refunded: 1, former: replaced.event })
      .where("account", "=", accountId)
      .where("hash", "=", replaced.hash)
      .execute();
    return { accountId, receipt, before: readUsageEvent(replaced.event).receipt };
  }
  // After a loss of data, a new receipt may have a lower number than the one that it replaces.
  const isReplacement = receipt.replaces === before.receipt.hash || receipt.number > before.receipt.number;
  if (receipt.replaces !== undefined && replaced === undefined && isReplacement) {
    await insertReplacedReceipt(transaction, before, before.receipt.hash, JSON.stringify(before));
    await insertReplacedReceipt(transaction, event, receipt.replaces);
    await transaction
      .updateTable("calls")
      .set({ event: JSON.stringify(event) })
      .where("account", "=", accountId)
      .where("at", "=", Date.parse(before.time))
      .where("id", "=", event.id)
      .execute();
    return { accountId, receipt, before: before.receipt, now: event };
  }
  await insertSecondSettlement(transaction, event, { refunded: 0, operation: `settled-twice-${receipt.hash}` });
  return { accountId, receipt };
}

async function insertSecondSettlement(
  transaction: Transaction<Tables>,
  event: UsageEvent,
  { refunded, operation }: { readonly refunded: number; readonly operation: string },
): Promise<void> {
  const { accountId: account, id: call, receipt } = event;
  await transaction
    .insertInto("other_receipts")
    .values({
      account,
      hash: receipt?.hash ?? "",
      call,
      at: Date.parse(event.time),
      event: JSON.stringify(event),
      refunded,
      operation,
    })
    .execute();
}

/**
 * Records a replaced receipt, because an anchor may refer to it. `former` is the JSON of its event, because Redis may
 * contain it again.
 */
export async function insertReplacedReceipt(
  transaction: Transaction<Tables>,
  { accountId: account, id: call, time }: Pick<UsageEvent, "accountId" | "id" | "time">,
  hash: string,
  former = "",
): Promise<void> {
  await transaction
    .insertInto("other_receipts")
    .values({ account, hash, call, at: Date.parse(time), event: "", refunded: 1, operation: "", former })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Reads all second settlements of an account. */
export async function readSecondSettlements({ db }: Books, account: string): Promise<readonly UsageEvent[]> {
  const rows = await db
    .selectFrom("other_receipts")
    .select("event")
    .where("account", "=", account)
    .where("event", "<>", "")
    .execute();
  return rows.map(({ event }) => readUsageEvent(event));
}

/** Returns those of the accounts that have second settlements without a refund. */
export async function findAccountsToRefund({ db }: Books, accounts: readonly string[]): Promise<readonly string[]> {
  if (accounts.length === 0) return [];
  const rows = await db
    .selectFrom("other_receipts")
    .select("account")
    .distinct()
    .where("account", "in", accounts)
    .where("refunded", "=", 0)
    .execute();
  return rows.map(({ account }) => account);
}

/** Reads those second settlements of an account that were not refunded yet. */
export async function readSettlementsToRefund({ db }: Books, account: string): Promise<readonly SecondSettlement[]> {
  const rows = await db
    .selectFrom("other_receipts")
    .select(["event", "operation"])
    .where("account", "=", account)
    .where("refunded", "=", 0)
    .execute();
  return rows.map(({ event, operation }) => ({ event: readUsageEvent(event), operation }));
}

/** Records that a second settlement was refunded. Returns false if this was recorded before. */
export async function markRefunded({ db }: Books, { event, operation }: SecondSettlement): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("other_receipts")
    .set({ refunded: 1 })
    .where("account", "=", event.accountId)
    .where("operation", "=", operation)
    .where("refunded", "=", 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
