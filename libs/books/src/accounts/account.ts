import { sql, type Transaction } from "kysely";
import { CreditEvent, recordParser } from "@modelgate/contracts";
import { receiptLink } from "../chain.ts";
import type { Books } from "../open.ts";
import { creditRow } from "../record-credits.ts";
import type { Tables } from "../schema.ts";
import { stateFromRow, type BookedState, type StateRow } from "./account-state.ts";
import { writeAudit } from "./audit.ts";

const readCredit = recordParser("credit event", CreditEvent);

export interface BookedAccount extends BookedState {
  /** Creation time (RFC 3339), or "" if unknown. */
  readonly createdAt: string;
  readonly receipts: number;
  readonly head: string;
  readonly balanceNanos: bigint;
  readonly creditedNanos: bigint;
  /** True if the account's chain has no missing and no additional receipt, or if missing ones were accepted. */
  readonly isComplete: boolean;
  /** Sum of the chain's steps minus the link of the last receipt (`chainStep`); 0 if the chain is complete. */
  readonly offset: number;
}

/** Data of a new account. `opening` is the credit of its opening balance. */
export interface NewAccount {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly opening?: CreditEvent | undefined;
}

/** Stores a new account. Returns false if an account with this id exists. */
export async function bookAccount({ db }: Books, account: NewAccount, actor: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { id, name, createdAt, opening } = account;
    const inserted = await transaction
      .insertInto("accounts")
      .values({ account: id, receipts: 0, head: "", balance: 0n, name, created: createdAt })
      .onConflict((conflict) => conflict.doNothing())
      .returning("account")
      .execute();
    if (inserted.length === 0) return false;
    if (opening !== undefined) await insertCredit(transaction, opening);
    await writeAudit(transaction, {
      account: id,
      time: createdAt,
      actor,
      action: "account.create",
      after: { name, balanceNanos: opening?.nanos ?? "0" },
    });
    return true;
  });
}

/** An account that an earlier version created in Redis. */
export interface AdoptedAccount extends Omit<NewAccount, "opening"> {
  readonly receipts: number;
  readonly head: string;
  readonly balanceNanos: bigint;
}

/** Adds an account that an earlier version created in Redis. Its chain in the books starts after its last receipt. */
export async function adoptAccount({ db }: Books, account: AdoptedAccount): Promise<void> {
  const { id, name, createdAt: created, receipts, head, balanceNanos: balance } = account;
  const link = receiptLink(head);
  const headColumns = { receipts, head, balance, chain: link, tip: link };
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto("accounts")
      .values({ account: id, name, created, projected: 1, ...headColumns })
      .onConflict((conflict) =>
        conflict.column("account").doUpdateSet({ name, created, projected: 1 }).where("accounts.created", "=", ""),
      )
      .execute();
    await transaction
      .updateTable("accounts")
      .set(headColumns)
      .where("account", "=", id)
      .where("receipts", "<", receipts)
      .execute();
  });
}

/** Stores a credit before it is applied in Redis. If the operation already has a credit, returns that credit. */
export async function bookCredit({ db }: Books, event: CreditEvent, actor: string): Promise<CreditEvent> {
  return db.transaction().execute(async (transaction) => {
    if (await insertCredit(transaction, event)) {
      const { accountId: account, time, kind, nanos, reason, operationId } = event;
      await writeAudit(transaction, {
        account,
        time,
        actor,
        action: `credit.${kind}`,
        after: { nanos, reason, operationId },
      });
      return event;
    }
    const { event: text } = await transaction
      .selectFrom("credits")
      .select("event")
      .where("account", "=", event.accountId)
      .where("operation", "=", event.operationId)
      .executeTakeFirstOrThrow();
    return readCredit(text);
  });
}

/** Removes a credit unless it was applied. */
export async function removeUnappliedCredit({ db }: Books, event: CreditEvent, reason: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom("credits")
      .where("account", "=", event.accountId)
      .where("operation", "=", event.operationId)
      .where("event", "=", JSON.stringify(event))
      .executeTakeFirst();
    if (numDeletedRows === 0n) return;
    await writeAudit(transaction, {
      account: event.accountId,
      time: new Date().toISOString(),
      actor: "ledger",
      action: "credit.refused",
      before: { nanos: event.nanos, operationId: event.operationId },
      after: { why: reason },
    });
  });
}

async function insertCredit(transaction: Transaction<Tables>, event: CreditEvent): Promise<boolean> {
  const inserted = await transaction
    .insertInto("credits")
    .values(creditRow(event))
    .onConflict((conflict) => conflict.doNothing())
    .returning("operation")
    .execute();
  return inserted.length > 0;
}

/** Records that Redis contains these accounts. */
export async function markAccountsWritten({ db }: Books, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.updateTable("accounts").set({ projected: 1 }).where("account", "in", ids).execute();
}

const accountColumns = [
  "account",
  "name",
  "disabled",
  "version",
  "created",
  "receipts",
  "head",
  "chain",
  "tip",
  sql<string>`cast(credited as text)`.as("creditedNanos"),
  sql<string>`cast(balance as text)`.as("balanceNanos"),
] as const;

/** Number of accounts per page. */
const pageSize = 500;

/** Reads all accounts in pages, ordered by id. */
export async function* readAccountPages({ db }: Books): AsyncGenerator<readonly BookedAccount[]> {
  for (let after = ""; ;) {
    const rows = await db
      .selectFrom("accounts")
      .select(accountColumns)
      .where("account", ">", after)
      .orderBy("account")
      .limit(pageSize)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(accountFromRow);
    if (rows.length < pageSize) return;
    after = last.account;
  }
}

/** Reads the accounts with these ids. Unknown ids are ignored. */
export async function findAccounts({ db }: Books, ids: readonly string[]): Promise<readonly BookedAccount[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("accounts").select(accountColumns).where("account", "in", ids).execute();
  return rows.map(accountFromRow);
}

/** Reads the ids of accounts whose chain of receipts is incomplete. */
export async function readBrokenChains({ db }: Books, limit: number): Promise<readonly string[]> {
  const rows = await db.selectFrom("accounts").select("account").whereRef("chain", "<>", "tip").limit(limit).execute();
  return rows.map(({ account }) => account);
}

/** Reads accounts that are not in Redis yet. */
export async function readAccountsToWrite(
  { db }: Books,
  limit: number,
): Promise<readonly (BookedState & Pick<BookedAccount, "createdAt">)[]> {
  const rows = await db
    .selectFrom("accounts")
    .select(["account", "name", "disabled", "version", "created"])
    .where("projected", "=", 0)
    .where("created", "<>", "")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...stateFromRow(row), createdAt: row.created }));
}

/** Reads all credits of these accounts, oldest first. */
export async function readCreditsOf({ db }: Books, ids: readonly string[]): Promise<readonly CreditEvent[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("credits").select("event").where("account", "in", ids).orderBy("at").execute();
  return rows.map(({ event }) => readCredit(event));
}

/** Reads the credits that Redis has not applied yet, oldest first. They have no receipt. */
export async function readPendingCredits({ db }: Books, limit: number): Promise<readonly CreditEvent[]> {
  const rows = await db
    .selectFrom("credits")
    .select("event")
    .where("event", "not like", '%"receipt":{%')
    .orderBy("at")
    .limit(limit)
    .execute();
  return rows.map(({ event }) => readCredit(event)).filter(({ receipt }) => receipt === undefined);
}

/**
 * Marks the chain of an account as complete, although receipts are missing. Has no effect if the account has changed
 * since it was read.
 */
export async function acceptMissingReceipts({ db }: Books, { id, head, offset }: BookedAccount): Promise<void> {
  await db
    .updateTable("accounts")
    .set(({ ref }) => ({ chain: ref("tip") }))
    .where("account", "=", id)
    .where("head", "=", head)
    .where("chain", "=", receiptLink(head) + offset)
    .execute();
}

function accountFromRow(
  row: StateRow & {
    readonly created: string;
    readonly receipts: number;
    readonly head: string;
    readonly chain: number;
    readonly tip: number;
    readonly creditedNanos: string;
    readonly balanceNanos: string;
  },
): BookedAccount {
  return {
    ...stateFromRow(row),
    createdAt: row.created,
    receipts: row.receipts,
    head: row.head,
    creditedNanos: BigInt(row.creditedNanos),
    balanceNanos: BigInt(row.balanceNanos),
    isComplete: row.chain === row.tip,
    offset: row.chain - row.tip,
  };
}
