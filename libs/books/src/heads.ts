import { sql, type Transaction } from "kysely";
import type { Receipt } from "@modelgate/contracts";
import { linkModulus, receiptLink, reduceModulo, chainStep } from "./chain.ts";
import type { Books } from "./open.ts";
import type { Tables } from "./schema.ts";

/** Change of an account by one entry of its chain. */
export interface AccountChange {
  readonly accountId: string;
  /** New receipt of the entry. If it replaced another receipt, that one is `before`. */
  readonly receipt?: Receipt | undefined;
  readonly before?: Receipt | undefined;
  readonly credited?: bigint;
}

interface HeadSums {
  head: Receipt | undefined;
  credited: bigint;
  chain: number;
}

/** Updates the last receipts and the sums of accounts after new entries. */
export async function changeAccounts(
  transaction: Transaction<Tables>,
  changes: readonly AccountChange[],
): Promise<void> {
  const accounts = new Map<string, HeadSums>();
  for (const change of changes)
    if (change.receipt !== undefined || change.credited !== undefined) addChange(accounts, change);
  if (accounts.size === 0) return;
  await replaceHeads(transaction, changes);
  const rows = [...accounts]
    // One order for all ledgers, to avoid deadlocks.
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([account, { head, credited, chain }]) => ({
      account,
      receipts: head?.number ?? 0,
      head: head?.hash ?? "",
      balance: head?.balanceNanos ?? 0n,
      tip: receiptLink(head?.hash ?? ""),
      credited,
      chain,
      name: account,
    }));
  const newer = (column: string) =>
    sql<never>`case when accounts.receipts <= excluded.receipts then ${sql.ref(`excluded.${column}`)}
      else ${sql.ref(`accounts.${column}`)} end`;
  await transaction
    .insertInto("accounts")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("account").doUpdateSet({
        receipts: newer("receipts"),
        head: newer("head"),
        balance: newer("balance"),
        tip: newer("tip"),
        credited: sql<never>`accounts.credited + excluded.credited`,
        chain: sql<never>`(accounts.chain + excluded.chain) % ${sql.lit(linkModulus)}`,
      }),
    )
    .execute();
}

/** Updates accounts whose last receipt was replaced, even by a receipt with a lower number. */
async function replaceHeads(transaction: Transaction<Tables>, changes: readonly AccountChange[]): Promise<void> {
  for (const { accountId, receipt, before } of changes)
    if (receipt !== undefined && before !== undefined)
      await transaction
        .updateTable("accounts")
        .set(headColumns(receipt))
        .where("account", "=", accountId)
        .where("head", "=", before.hash)
        .execute();
}

function headColumns({ number, hash, balanceNanos }: Receipt) {
  return { receipts: number, head: hash, balance: balanceNanos, tip: receiptLink(hash) };
}

/**
 * Sets the last receipt of an account to `head`, if the receipts in the books form a chain with this end. The stored
 * one may differ after the last receipt was replaced.
 */
export async function correctHead({ db }: Books, id: string, head: Receipt): Promise<void> {
  await db
    .updateTable("accounts")
    .set(headColumns(head))
    .where("account", "=", id)
    .where("chain", "=", receiptLink(head.hash))
    .execute();
}

function addChange(
  accounts: Map<string, HeadSums>,
  { accountId, receipt, before, credited = 0n }: AccountChange,
): void {
  const sums = accounts.get(accountId) ?? { head: undefined, credited: 0n, chain: 0 };
  accounts.set(accountId, sums);
  sums.credited += credited;
  if (receipt !== undefined && receipt.number > (sums.head?.number ?? 0)) sums.head = receipt;
  const step = (receipt === undefined ? 0 : chainStep(receipt)) - (before === undefined ? 0 : chainStep(before));
  sums.chain = reduceModulo(sums.chain + step);
}
