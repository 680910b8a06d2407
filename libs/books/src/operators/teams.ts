import { writeAudit } from "../accounts/audit.ts";
import type { Books } from "../open.ts";
import { hasTeam, lockOrganisation } from "./organisations.ts";

/** Names a team of an organisation; the organisation itself if `team` is "". */
interface TeamName {
  readonly organisation: string;
  readonly team: string;
}

/** Renames a team or an organisation. Returns false if it does not exist. */
export async function renameTeam(
  { db }: Books,
  { organisation, team, name }: TeamName & { readonly name: string },
  actor: string,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOrganisation(transaction, organisation))) return false;
    if (team === "")
      await transaction.updateTable("organisations").set({ name }).where("id", "=", organisation).execute();
    else {
      if (!(await hasTeam(transaction, organisation, team))) return false;
      await transaction
        .updateTable("teams")
        .set({ name })
        .where("organisation", "=", organisation)
        .where("id", "=", team)
        .execute();
    }
    const [action, after] = [team === "" ? "organisation.set" : "team.set", { organisation, team, name }];
    await writeAudit(transaction, { account: "", time: new Date().toISOString(), actor, action, after });
    return true;
  });
}

/**
 * Deletes a team or an organisation. Returns the first part that it still has, and then deletes nothing: an organisation
 * has teams and members (its admins); a team has members, budgets and keys. Keys that were deleted count too, because
 * their usage names the team. Returns "absent" if it does not exist. With `releaseAccount`, an account leaves the
 * organisation with the last team that it paid for; the result is then "deleted-with-account".
 */
export async function deleteTeam(
  { db }: Books,
  { organisation, team, releaseAccount = false }: TeamName & { readonly releaseAccount?: boolean },
  actor: string,
): Promise<"absent" | "budgets" | "deleted" | "deleted-with-account" | "keys" | "members" | "teams"> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOrganisation(transaction, organisation))) return "absent";
    const memberships = transaction.selectFrom("memberships").select("person").where("organisation", "=", organisation);
    const hasMembers = (await memberships.where("team", "=", team).executeTakeFirst()) !== undefined;
    const teams = await transaction.selectFrom("teams").selectAll().where("organisation", "=", organisation).execute();
    const account = teams.find(({ id }) => id === team)?.account;
    const isLast = !teams.some((other) => other.account === account && other.id !== team);
    if (team === "") {
      if (teams.length > 0) return "teams";
      if (hasMembers) return "members";
      await transaction
        .updateTable("accounts")
        .set({ organisation: "" })
        .where("organisation", "=", organisation)
        .execute();
      await transaction.deleteFrom("organisations").where("id", "=", organisation).execute();
    } else {
      if (account === undefined) return "absent";
      if (hasMembers) return "members";
      const tokens = transaction.selectFrom("tokens").select("token").where("account", "=", account);
      if ((await tokens.where("team", "=", team).executeTakeFirst()) !== undefined) return "keys";
      const budgets = transaction.selectFrom("budgets").select("record").where("account", "=", account);
      const { record = "" } = (await budgets.executeTakeFirst()) ?? {};
      if (record.includes(`"team:${team}"`) || record.includes(`"member:${team}/`)) return "budgets";
      await transaction.deleteFrom("teams").where("organisation", "=", organisation).where("id", "=", team).execute();
      if (releaseAccount && isLast)
        await transaction.updateTable("accounts").set({ organisation: "" }).where("account", "=", account).execute();
    }
    const isReleased = releaseAccount && isLast && account !== undefined;
    const before = { organisation, team, ...(isReleased ? { releasedAccount: account } : {}) };
    const action = team === "" ? "organisation.delete" : "team.delete";
    await writeAudit(transaction, {
      account: account ?? "",
      time: new Date().toISOString(),
      actor,
      action,
      before,
      after: null,
    });
    return isReleased ? "deleted-with-account" : "deleted";
  });
}
