import type { Transaction } from "kysely";
import { CreditEvent, recordParser } from "@modelgate/contracts";
import { changeAccounts, type AccountChange } from "./heads.ts";
import type { Books } from "./open.ts";
import { insertReplacedReceipt } from "./other-receipts.ts";
import type { Tables } from "./schema.ts";

const readCredit = recordParser("credit event", CreditEvent);

/**
 * Stores credits that Redis has applied. A stored credit gets its receipt, or a new receipt if Redis had lost the first
 * one.
 */
export async function recordCredits({ db }: Books, events: readonly CreditEvent[]): Promise<void> {
  if (events.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    const changes: AccountChange[] = [];
    for (const event of events) {
      const change = await recordCredit(transaction, event);
      if (change !== undefined) changes.push(change);
    }
    await changeAccounts(transaction, changes);
  });
}

async function recordCredit(transaction: Transaction<Tables>, event: CreditEvent): Promise<AccountChange | undefined> {
  const { accountId, operationId, receipt } = event;
  const row = await transaction
    .selectFrom("credits")
    .select("event")
    .where("account", "=", accountId)
    .where("operation", "=", operationId)
    .executeTakeFirst();
  const credited = BigInt(event.nanos);
  if (row === undefined) {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto("credits")
      .values(creditRow(event))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 0n ? undefined : { accountId, receipt, credited };
  }
  const { receipt: before } = readCredit(row.event);
  if (receipt === undefined || before?.hash !== receipt.replaces) return undefined;
  const { numUpdatedRows } = await transaction
    .updateTable("credits")
    .set({ event: JSON.stringify(event) })
    .where("account", "=", accountId)
    .where("operation", "=", operationId)
    .where("event", "=", row.event)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return undefined;
  if (before === undefined) return { accountId, receipt, credited };
  await insertReplacedReceipt(transaction, { accountId, id: operationId, time: event.time }, before.hash, row.event);
  return { accountId, receipt, before };
}

/** Converts a credit to a row of `credits`. */
export function creditRow(event: CreditEvent) {
  return {
    account: event.accountId,
    operation: event.operationId,
    at: Date.parse(event.time),
    kind: event.kind,
    nanos: event.nanos,
    event: JSON.stringify(event),
  };
}
