import { organisationScope } from "@modelgate/contracts";
import { writeAudit } from "../accounts/audit.ts";
import { incrementVersion, type BudgetChange } from "../accounts/budgets.ts";
import { readAccountsOfOrganisation, copyOrganisationBudgets } from "../accounts/organisation-budgets.ts";
import type { Books } from "../open.ts";
import { lockOrganisation } from "./organisations.ts";

/**
 * Changes the budgets of an organisation, and their copies for its accounts. Returns the accounts; undefined if there
 * is no such organisation.
 */
export async function changeOrganisationBudgets(
  { db }: Books,
  organisation: string,
  actor: string,
  change: (record: string, accounts: readonly string[]) => BudgetChange,
): Promise<readonly string[] | undefined> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOrganisation(transaction, organisation))) return undefined;
    const owner = organisationScope(organisation);
    const accounts = await readAccountsOfOrganisation(transaction, organisation);
    const { record: current, version } = await incrementVersion(transaction, owner);
    const { record, ...entry } = change(current, accounts);
    // Only the copies are written to Redis.
    await transaction.updateTable("budgets").set({ record, projected: version }).where("account", "=", owner).execute();
    for (const account of accounts) await copyOrganisationBudgets(transaction, account, record);
    await writeAudit(transaction, { account: owner, time: new Date().toISOString(), actor, ...entry });
    return accounts;
  });
}
