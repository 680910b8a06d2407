import type { Transaction } from "kysely";
import { organisationOfScope, organisationScope, recordParser } from "@modelgate/contracts";
import { Type } from "typebox";
import type { Tables } from "../schema.ts";
import { incrementVersion } from "./budgets.ts";

/** Returns the shard of an account. */
export type ShardOf = (account: string) => string;

/** Reads the accounts of an organisation, ordered by id. */
export async function readAccountsOfOrganisation(
  transaction: Transaction<Tables>,
  organisation: string,
): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom("accounts")
    .select("account")
    .where("organisation", "=", organisation)
    .orderBy("account")
    .execute();
  return rows.map(({ account }) => account);
}

const readScopes = recordParser("budgets", Type.Array(Type.Object({ scope: Type.String() })));

/**
 * Replaces the copies of the organisation's budgets in the list of an account. `record` is "[]" if the account leaves
 * the organisation. The organisation must be locked.
 */
export async function copyOrganisationBudgets(
  transaction: Transaction<Tables>,
  account: string,
  record: string,
): Promise<void> {
  const isOfAccount = ({ scope }: { readonly scope: string }): boolean => organisationOfScope(scope) === undefined;
  if (record === "[]" && readScopes(await readRecord(transaction, account)).every(isOfAccount)) return;
  const { record: current } = await incrementVersion(transaction, account);
  const budgets = [...readScopes(record), ...readScopes(current).filter(isOfAccount)];
  await transaction
    .updateTable("budgets")
    .set({ record: JSON.stringify(budgets) })
    .where("account", "=", account)
    .execute();
}

/**
 * Copies the organisation's budgets to an account that joins it. Returns false if the organisation has budgets, and one
 * of its accounts is on another shard. The organisation must be locked.
 */
export async function copyBudgetsToJoiningAccount(
  transaction: Transaction<Tables>,
  { organisation, account }: { readonly organisation: string; readonly account: string },
  shardOf: ShardOf,
): Promise<boolean> {
  const record = await readRecord(transaction, organisationScope(organisation));
  if (record === "[]") return true;
  const others = await readAccountsOfOrganisation(transaction, organisation);
  if (others.some((other) => shardOf(other) !== shardOf(account))) return false;
  await copyOrganisationBudgets(transaction, account, record);
  return true;
}

async function readRecord(transaction: Transaction<Tables>, account: string): Promise<string> {
  const query = transaction.selectFrom("budgets").select("record").where("account", "=", account);
  return (await query.executeTakeFirst())?.record ?? "[]";
}
