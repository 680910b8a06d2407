import type { Transaction } from "kysely";
import { organisationScope } from "@modelgate/contracts";
import { writeAudit } from "../accounts/audit.ts";
import { readAccountsOfOrganisation, copyOrganisationBudgets } from "../accounts/organisation-budgets.ts";
import { playgroundPattern, readPlaygroundTokens } from "../accounts/read-tokens.ts";
import { deleteTokensIn, lockAccount } from "../accounts/tokens.ts";
import type { Books } from "../open.ts";
import type { Tables } from "../schema.ts";
import { auditedAccount, lockOrganisation } from "./organisations.ts";

/** A team, or the organisation itself if `team` is "". */
interface TeamName {
  readonly organisation: string;
  readonly team: string;
}

/** Renames a team or an organisation. Returns false if it does not exist. */
export async function renameTeamOrOrganisation(
  { db }: Books,
  { organisation, team, name }: TeamName & { readonly name: string },
  actor: string,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOrganisation(transaction, organisation))) return false;
    const account = await auditedAccount(transaction, organisation, team);
    if (account === undefined) return false;
    if (team === "")
      await transaction.updateTable("organisations").set({ name }).where("id", "=", organisation).execute();
    else
      await transaction
        .updateTable("teams")
        .set({ name })
        .where("organisation", "=", organisation)
        .where("id", "=", team)
        .execute();
    const action = team === "" ? "organisation.set" : "team.set";
    const after = { organisation, team, name };
    await writeAudit(transaction, { account, time: new Date().toISOString(), actor, action, after });
    return true;
  });
}

/**
 * Deletes a team or organisation that is empty; otherwise returns what it still has. A team with deleted keys is not
 * empty, because their usage names the team. Keys of playgrounds are deleted with the team. If `mayReleaseAccount` is
 * true, the account leaves the organisation with its last team.
 */
export async function deleteTeamOrOrganisation(
  { db }: Books,
  { organisation, team, mayReleaseAccount = false }: TeamName & { readonly mayReleaseAccount?: boolean },
  actor: string,
): Promise<"absent" | "budgets" | "deleted" | "deleted-with-account" | "keys" | "members" | "teams"> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOrganisation(transaction, organisation))) return "absent";
    const memberships = transaction.selectFrom("memberships").select("person").where("organisation", "=", organisation);
    const hasMembers = (await memberships.where("team", "=", team).executeTakeFirst()) !== undefined;
    const teams = await transaction.selectFrom("teams").selectAll().where("organisation", "=", organisation).execute();
    const audit = { time: new Date().toISOString(), actor, after: null };
    if (team === "") {
      if (teams.length > 0) return "teams";
      if (hasMembers) return "members";
      await releaseAccounts(transaction, organisation, await readAccountsOfOrganisation(transaction, organisation));
      await transaction.deleteFrom("budgets").where("account", "=", organisationScope(organisation)).execute();
      await transaction.deleteFrom("organisations").where("id", "=", organisation).execute();
      const before = { organisation, team };
      await writeAudit(transaction, {
        ...audit,
        account: organisationScope(organisation),
        action: "organisation.delete",
        before,
      });
      return "deleted";
    }
    const account = teams.find(({ id }) => id === team)?.account;
    if (account === undefined) return "absent";
    if (hasMembers) return "members";
    await lockAccount(transaction, account);
    const remaining = await keysOrBudgetsOfTeam(transaction, team, account);
    if (remaining !== undefined) return remaining;
    const tokens = (await readPlaygroundTokens(transaction, account)).filter(({ record }) => record["team"] === team);
    const ids = tokens.map(({ id }) => id);
    await deleteTokensIn(transaction, ids, actor);
    await transaction.deleteFrom("teams").where("organisation", "=", organisation).where("id", "=", team).execute();
    const isReleased = mayReleaseAccount && !teams.some((other) => other.account === account && other.id !== team);
    if (isReleased) await releaseAccounts(transaction, organisation, [account]);
    const before = { organisation, team, ...(isReleased && { releasedAccount: account }) };
    await writeAudit(transaction, { ...audit, account, action: "team.delete", before });
    return isReleased ? "deleted-with-account" : "deleted";
  });
}

async function releaseAccounts(
  transaction: Transaction<Tables>,
  organisation: string,
  accounts: readonly string[],
): Promise<void> {
  for (const account of accounts) {
    await copyOrganisationBudgets(transaction, account, "[]");
    await transaction
      .updateTable("accounts")
      .set({ organisation: "" })
      .where("organisation", "=", organisation)
      .where("account", "=", account)
      .execute();
  }
}

/** Returns what the account still has of the team: `keys` or `budgets`. */
async function keysOrBudgetsOfTeam(
  transaction: Transaction<Tables>,
  team: string,
  account: string,
): Promise<"budgets" | "keys" | undefined> {
  const tokens = transaction.selectFrom("tokens").select("token").where("account", "=", account);
  const teamTokens = tokens.where("team", "=", team).where("record", "not like", playgroundPattern);
  if ((await teamTokens.executeTakeFirst()) !== undefined) return "keys";
  const budgets = transaction.selectFrom("budgets").select("record").where("account", "=", account);
  const { record = "" } = (await budgets.executeTakeFirst()) ?? {};
  return record.includes(`"team:${team}"`) || record.includes(`"member:${team}/`) ? "budgets" : undefined;
}
