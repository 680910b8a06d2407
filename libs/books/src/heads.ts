import { sql, type Transaction } from "kysely";
import type { Receipt } from "@modelgate/contracts";
import type { Tables } from "./schema.ts";

/** Remembers the newest receipt of each account: its number, hash, and the balance after it. */
export async function raiseHeads(
  at: Transaction<Tables>,
  entries: readonly { readonly accountId: string; readonly receipt?: Receipt | undefined }[],
): Promise<void> {
  const newest = new Map<string, Receipt>();
  for (const { accountId, receipt } of entries)
    if (receipt !== undefined && receipt.number > (newest.get(accountId)?.number ?? 0)) newest.set(accountId, receipt);
  if (newest.size === 0) return;
  const rows = [...newest]
    // In one order, so that two ledgers wait for each other and do not lock each other out.
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([account, { number, hash, balanceNanos }]) => ({
      account,
      receipts: number,
      head: hash,
      balance: balanceNanos,
    }));
  await at
    .insertInto("accounts")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("account")
        .doUpdateSet(({ ref }) => ({
          receipts: ref("excluded.receipts"),
          head: ref("excluded.head"),
          balance: sql`excluded.balance`,
        }))
        .whereRef("accounts.receipts", "<", "excluded.receipts"),
    )
    .execute();
}
