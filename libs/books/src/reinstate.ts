import type { Selectable, Transaction } from "kysely";
import { Type } from "typebox";
import { CreditEvent, readUsageEvent, recordParser, UsageEvent, type Receipt } from "@modelgate/contracts";
import { changeAccounts } from "./heads.ts";
import type { Books } from "./open.ts";
import { insertReplacedReceipt, lockCalls, readStoredCalls } from "./other-receipts.ts";
import { callName } from "./read-positions.ts";
import type { OtherReceiptsTable, Tables } from "./schema.ts";

const readFormer = recordParser("former event", Type.Union([CreditEvent, UsageEvent]));
const readCredit = recordParser("credit event", CreditEvent);

/**
 * Reinstates replaced receipts that Redis contains again, for example because a lost server with later data has
 * returned. Returns their number.
 */
export async function reinstateReceipts({ db }: Books, account: string, hash: string): Promise<number> {
  let reinstated = 0;
  for (let next = hash; ; reinstated++) {
    const sought = next;
    const receipt = await db.transaction().execute((transaction) => reinstate(transaction, account, sought));
    if (receipt === undefined) return reinstated;
    next = receipt.previous;
  }
}

async function reinstate(
  transaction: Transaction<Tables>,
  account: string,
  hash: string,
): Promise<Receipt | undefined> {
  const row = await transaction
    .selectFrom("other_receipts")
    .select("former")
    .where("account", "=", account)
    .where("hash", "=", hash)
    .where("former", "<>", "")
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const former = readFormer(row.former);
  const { receipt } = former;
  if (receipt === undefined) return undefined;
  const before =
    "operationId" in former ? await reinstateCredit(transaction, former) : await reinstateCall(transaction, former);
  if (before?.receipt === undefined) return undefined;
  await changeAccounts(transaction, [{ accountId: account, receipt, before: before.receipt }]);
  return receipt;
}

/** Returns the event that the credit had before; undefined if another ledger changed it at the same time. */
async function reinstateCredit(
  transaction: Transaction<Tables>,
  former: CreditEvent,
): Promise<CreditEvent | undefined> {
  const { accountId, operationId } = former;
  const stored = await transaction
    .selectFrom("credits")
    .select("event")
    .where("account", "=", accountId)
    .where("operation", "=", operationId)
    .executeTakeFirst();
  if (stored === undefined) return undefined;
  const { numUpdatedRows } = await transaction
    .updateTable("credits")
    .set({ event: JSON.stringify(former) })
    .where("account", "=", accountId)
    .where("operation", "=", operationId)
    .where("event", "=", stored.event)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return undefined;
  const before = readCredit(stored.event);
  await remove(transaction, former);
  await insertReplacedReceipt(transaction, { ...former, id: operationId }, before.receipt?.hash ?? "", stored.event);
  return before;
}

/** Returns the event that the settlement had before, or undefined. */
async function reinstateCall(transaction: Transaction<Tables>, former: UsageEvent): Promise<UsageEvent | undefined> {
  const { accountId, id } = former;
  await lockCalls(transaction, [former]);
  const stored = (await readStoredCalls(transaction, [former])).get(callName(accountId, id));
  const rows = await transaction
    .selectFrom("other_receipts")
    .selectAll()
    .where("account", "=", accountId)
    .where("call", "=", id)
    .execute();
  if (stored === undefined || !rows.some(({ hash }) => hash === former.receipt?.hash)) return undefined;
  const second = rows.filter(({ event }) => event !== "");
  const group = receiptsOfOneSettlement(former, stored, rows);
  const current = [stored, ...second.map(({ event }) => readUsageEvent(event))].find(({ receipt }) =>
    group.has(receipt?.hash ?? ""),
  );
  if (current === undefined) return undefined;
  const row = second.find(({ hash }) => hash === current.receipt?.hash);
  const event = JSON.stringify(former);
  await remove(transaction, former);
  if (row === undefined)
    await transaction
      .updateTable("calls")
      .set({ event })
      .where("account", "=", accountId)
      .where("at", "=", Date.parse(stored.time))
      .where("id", "=", id)
      .execute();
  else {
    await remove(transaction, current);
    await transaction
      .insertInto("other_receipts")
      .values({ ...row, hash: former.receipt?.hash ?? "", event, former: "" })
      .execute();
  }
  await insertReplacedReceipt(transaction, current, current.receipt?.hash ?? "", JSON.stringify(current));
  return current;
}

/** Returns the hashes of receipts that replaced one another, including that of `former`. */
function receiptsOfOneSettlement(
  former: UsageEvent,
  stored: UsageEvent,
  rows: readonly Selectable<OtherReceiptsTable>[],
): ReadonlySet<string> {
  const texts = rows.map(({ event, former: replaced }) => event || replaced).filter(Boolean);
  // A credit in `rows` is harmless, because a call's receipt never replaces a credit's.
  const receipts = [stored, ...texts.map((text) => readFormer(text))].flatMap(({ receipt }) => receipt ?? []);
  const group = new Set([former.receipt?.hash ?? ""]);
  for (let size = 0; size < group.size;) {
    size = group.size;
    for (const { hash, replaces } of receipts)
      if (replaces !== undefined && (group.has(hash) || group.has(replaces))) group.add(hash).add(replaces);
  }
  return group;
}

async function remove(
  transaction: Transaction<Tables>,
  { accountId, receipt }: Pick<UsageEvent, "accountId" | "receipt">,
): Promise<void> {
  await transaction
    .deleteFrom("other_receipts")
    .where("account", "=", accountId)
    .where("hash", "=", receipt?.hash ?? "")
    .execute();
}
