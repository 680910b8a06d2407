import type { Transaction } from "kysely";
import { organisationScope } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import type { Tables } from "../schema.ts";
import { writeAudit } from "../accounts/audit.ts";
import { copyBudgetsToJoiningAccount, type ShardOf } from "../accounts/organisation-budgets.ts";
import { lockAccount } from "../accounts/tokens.ts";

type MembershipRole = "admin" | "member";

interface BookedTeam {
  readonly id: string;
  readonly name: string;
  /** Account that pays for calls with the team's keys. */
  readonly account: string;
  readonly createdAt: string;
}

/** Role of a person in a team, or in the whole organisation if `team` is "". */
interface BookedMembership {
  readonly person: string;
  readonly team: string;
  readonly role: string;
}

interface BookedOrganisation {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly accounts: readonly string[];
  readonly teams: readonly BookedTeam[];
  readonly memberships: readonly BookedMembership[];
}

/**
 * Stores a new organisation. Returns "used" if the audit has entries of a deleted one with this id, which the new
 * admins could read.
 */
export async function bookOrganisation(
  { db }: Books,
  { id, name }: Pick<BookedOrganisation, "id" | "name">,
  actor: string,
): Promise<"created" | "exists" | "used"> {
  return db.transaction().execute(async (transaction) => {
    const created = new Date().toISOString();
    const account = organisationScope(id);
    const rows = await transaction
      .insertInto("organisations")
      .values({ id, name, created })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .execute();
    if (rows.length === 0) return "exists";
    const audit = transaction.selectFrom("audit").select("id").where("account", "=", account);
    if ((await audit.executeTakeFirst()) !== undefined) {
      await transaction.deleteFrom("organisations").where("id", "=", id).execute();
      return "used";
    }
    const after = { id, name };
    await writeAudit(transaction, { account, time: created, actor, action: "organisation.create", after });
    return "created";
  });
}

/**
 * Stores a new team, whose account then belongs to the organisation. Returns "used" if a deleted team with this id had
 * keys, and "other-shard" if accounts with shared budgets would be on different shards.
 */
export async function bookTeam(
  { db }: Books,
  { organisation, id, name, account }: Omit<BookedTeam, "createdAt"> & { readonly organisation: string },
  actor: string,
  shardOf: ShardOf,
): Promise<"created" | "exists" | "no-account" | "no-organisation" | "other-shard" | "used"> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOrganisation(transaction, organisation))) return "no-organisation";
    if ((await auditedAccount(transaction, organisation, id)) !== undefined) return "exists";
    await lockAccount(transaction, account); // so that two organisations cannot get the same account
    const owner = await transaction
      .selectFrom("accounts")
      .select("organisation")
      .where("account", "=", account)
      .where("created", "<>", "")
      .executeTakeFirst();
    if (owner === undefined || !["", organisation].includes(owner.organisation)) return "no-account";
    if (await hasKeysOfTeam(transaction, { organisation, id, account })) return "used";
    if (
      owner.organisation === "" &&
      !(await copyBudgetsToJoiningAccount(transaction, { organisation, account }, shardOf))
    )
      return "other-shard";
    await transaction.updateTable("accounts").set({ organisation }).where("account", "=", account).execute();
    const created = new Date().toISOString();
    await transaction.insertInto("teams").values({ organisation, id, name, account, created }).execute();
    await writeAudit(transaction, {
      account,
      time: created,
      actor,
      action: "team.create",
      after: { organisation, id, name },
    });
    return "created";
  });
}

/** Returns whether a key, even a deleted one, belongs to a team with this id. */
async function hasKeysOfTeam(
  transaction: Transaction<Tables>,
  { organisation, id, account }: { readonly organisation: string } & Pick<BookedTeam, "account" | "id">,
): Promise<boolean> {
  const accounts = transaction
    .selectFrom("accounts")
    .select("account")
    .where((expression) =>
      expression.or([expression("organisation", "=", organisation), expression("account", "=", account)]),
    );
  const tokens = transaction
    .selectFrom("tokens")
    .select("token")
    .where("team", "=", id)
    .where("account", "in", accounts);
  return (await tokens.executeTakeFirst()) !== undefined;
}

/** New role of a person; null ends the membership. */
interface MembershipChange extends Omit<BookedMembership, "role"> {
  readonly role: MembershipRole | null;
  /** True if the organisation may lose its last admin. */
  readonly mayEndLastAdmin?: boolean;
}

/**
 * Gives a person a role in a team or an organisation, or ends the membership. Returns "last-admin" if the organisation
 * would lose its last admin.
 */
export async function changeMembership(
  { db }: Books,
  organisation: string,
  { person, team, role, mayEndLastAdmin = false }: MembershipChange,
  actor: string,
): Promise<"changed" | "last-admin" | "no-team"> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOrganisation(transaction, organisation))) return "no-team";
    const account = await auditedAccount(transaction, organisation, team);
    if (account === undefined) return "no-team";
    if (team === "" && role === null && !mayEndLastAdmin && !(await hasOtherAdmin(transaction, organisation, person)))
      return "last-admin";
    if (role === null)
      await transaction
        .deleteFrom("memberships")
        .where("organisation", "=", organisation)
        .where("person", "=", person)
        .where("team", "=", team)
        .execute();
    else
      await transaction
        .insertInto("memberships")
        .values({ organisation, person, team, role })
        .onConflict((conflict) => conflict.columns(["organisation", "person", "team"]).doUpdateSet({ role }))
        .execute();
    const after = { organisation, person, team, role };
    await writeAudit(transaction, {
      account,
      time: new Date().toISOString(),
      actor,
      action: "membership.set",
      after,
    });
    return "changed";
  });
}

/** Locks an organisation until the transaction ends. Returns false if it does not exist. */
export async function lockOrganisation(transaction: Transaction<Tables>, organisation: string): Promise<boolean> {
  const rows = await transaction
    .updateTable("organisations")
    .set(({ ref }) => ({ name: ref("name") }))
    .where("id", "=", organisation)
    .returning("id")
    .execute();
  return rows.length > 0;
}

async function hasOtherAdmin(transaction: Transaction<Tables>, organisation: string, person: string): Promise<boolean> {
  const other = await transaction
    .selectFrom("memberships")
    .select("person")
    .where("organisation", "=", organisation)
    .where("team", "=", "")
    .where("person", "<>", person)
    .executeTakeFirst();
  return other !== undefined;
}

/**
 * Returns the account under which the audit lists changes of a team. For the organisation itself (`team` is ""),
 * returns its scope.
 */
export async function auditedAccount(
  transaction: Transaction<Tables>,
  organisation: string,
  team: string,
): Promise<string | undefined> {
  if (team === "") return organisationScope(organisation);
  const row = await transaction
    .selectFrom("teams")
    .select("account")
    .where("organisation", "=", organisation)
    .where("id", "=", team)
    .executeTakeFirst();
  return row?.account;
}

/** Reads organisations, ordered by id: all, one by id, or that of an account. */
export async function readOrganisations(
  { db }: Books,
  wanted: { readonly id?: string | undefined; readonly account?: string | undefined } = {},
): Promise<readonly BookedOrganisation[]> {
  let query = db.selectFrom("organisations").selectAll();
  const { id, account } = wanted;
  if (id !== undefined) query = query.where("id", "=", id);
  if (account !== undefined)
    query = query.where("id", "in", (expression) =>
      expression.selectFrom("accounts").select("organisation").where("account", "=", account),
    );
  const rows = await query.orderBy("id").execute();
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const accounts = await db
    .selectFrom("accounts")
    .select(["account", "organisation"])
    .where("organisation", "in", ids)
    .orderBy("account")
    .execute();
  const teams = await db.selectFrom("teams").selectAll().where("organisation", "in", ids).orderBy("id").execute();
  const memberships = await db
    .selectFrom("memberships")
    .selectAll()
    .where("organisation", "in", ids)
    .orderBy("person")
    .orderBy("team")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    createdAt: row.created,
    accounts: accounts.filter(({ organisation }) => organisation === row.id).map((each) => each.account),
    teams: teams
      .filter(({ organisation }) => organisation === row.id)
      .map((team) => ({ id: team.id, name: team.name, account: team.account, createdAt: team.created })),
    memberships: memberships
      .filter(({ organisation }) => organisation === row.id)
      .map(({ person, team, role }) => ({ person, team, role })),
  }));
}
