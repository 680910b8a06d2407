import type { Token } from "@modelgate/accounts";
import { Failure, organisationOfScope } from "@modelgate/contracts";
import type { Operator, OrganisationAccess, TeamAccess } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";

/** Roles of a person in a team or in an organisation. */
export const teamRoles = ["admin", "member"] as const;
type TeamRole = (typeof teamRoles)[number];

/** An organisation as the ledger returns it. A membership with the team "" is of the whole organisation. */
export interface StoredOrganisation {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly accounts: readonly string[];
  readonly teams: readonly {
    readonly id: string;
    readonly name: string;
    readonly account: string;
    readonly createdAt: string;
  }[];
  readonly memberships: readonly { readonly person: string; readonly team: string; readonly role: TeamRole }[];
}

/** Finds an organisation by its id or by an account. */
export async function findOrganisation(
  ledger: Pick<Ledger, "read">,
  wanted: { readonly id: string } | { readonly account: string },
): Promise<StoredOrganisation | undefined> {
  const query = new URLSearchParams({ ...wanted }).toString();
  return (await ledger.read<readonly StoredOrganisation[]>(`/organisations?${query}`))[0];
}

/**
 * Reads what a person of an organisation may access; undefined for others. Read for each request, so that a changed
 * role applies immediately.
 */
export async function findAccess(
  ledger: Pick<Ledger, "read">,
  operator: Operator,
): Promise<OrganisationAccess | undefined> {
  const id = organisationOfScope(operator.account);
  if (id === undefined) return undefined;
  const organisation = await findOrganisation(ledger, { id });
  return organisation === undefined
    ? { organisation: id, accounts: [], teams: [] }
    : accessIn(organisation, operator.name);
}

/** Returns what a person may access in an organisation. */
export function accessIn({ id, accounts, teams, memberships }: StoredOrganisation, person: string): OrganisationAccess {
  const roles = new Map(memberships.filter((each) => each.person === person).map(({ team, role }) => [team, role]));
  if (roles.get("") === "admin") return { organisation: id, accounts };
  const teamAccess = teams.flatMap((team): readonly TeamAccess[] => {
    const role = roles.get(team.id);
    return role === undefined ? [] : [{ id: team.id, account: team.account, isAdmin: role === "admin" }];
  });
  return { organisation: id, accounts: [...new Set(teamAccess.map(({ account }) => account))], teams: teamAccess };
}

/** Returns whether a caller may see the keys of a team; if undefined, the keys without a team. */
export function seesTeam({ access }: Operator, team: string | undefined): boolean {
  return access?.teams === undefined || access.teams.some(({ id }) => id === team);
}

/** Returns whether a caller administers a team; if undefined, the organisation. */
export function administersTeam({ access }: Operator, team: string | undefined): boolean {
  return access?.teams === undefined || access.teams.some(({ id, isAdmin }) => id === team && isAdmin);
}

/**
 * Returns the accounts to which a caller is limited; undefined for an operator. Never empty, because an empty list
 * could mean all accounts.
 */
export function ownAccounts({ account, access }: Operator): readonly string[] | undefined {
  if (account === undefined) return undefined;
  return access === undefined || access.accounts.length === 0 ? [account] : access.accounts;
}

/** Returns whether a caller may access a part of an account. */
function seesAccount({ account, access }: Operator, id: string): boolean {
  return account === undefined || (access === undefined ? account === id : access.accounts.includes(id));
}

/** Returns whether a caller may see a key. */
export function seesKey(operator: Operator, { accountId, team }: Pick<Token, "accountId" | "team">): boolean {
  return seesAccount(operator, accountId) && seesTeam(operator, team);
}

/** Throws Failure (403) if a caller may see but not change a key. */
export function checkManagesKey(operator: Operator, { team, member }: Pick<Token, "member" | "team">): void {
  if (administersTeam(operator, team) || member === memberName(team, operator)) return;
  throw new Failure("permission_denied", "Members of a team may change only their own keys; ask an admin of the team.");
}

/** Returns the name of a member in keys and budgets. */
export function memberName(team: string | undefined, { name }: Pick<Operator, "name">): string {
  return team === undefined ? name : `${team}/${name}`;
}

/** Throws Failure (400) unless the account pays for the team. */
export async function checkTeam(
  ledger: Pick<Ledger, "read">,
  { team, account, param }: { readonly team: string; readonly account: string; readonly param: string },
): Promise<StoredOrganisation> {
  const organisation = await findOrganisation(ledger, { account });
  if (organisation?.teams.some((each) => each.id === team && each.account === account) === true) return organisation;
  throw new Failure("invalid_value", `The account ${account} pays for no team ${JSON.stringify(team.slice(0, 100))}.`, {
    param,
  });
}
