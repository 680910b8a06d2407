import { Failure } from "@modelgate/contracts";
import type { Operator, OperatorRoutes } from "@modelgate/platform";
import { fields } from "../api/fields.ts";
import type { Ledger } from "../ledger.ts";
import { administersTeam, findOrganisation, seesTeam, type StoredOrganisation } from "./access.ts";

/** Routes of organisations and their teams. */
export function organisationRoutes(ledger: Ledger): OperatorRoutes {
  return {
    "GET /organisations": async ({ operator }) => {
      if (operator.access !== undefined)
        return [organisationView(await requireOrganisation(ledger, operator.access.organisation), operator)];
      if (operator.account !== undefined) return [];
      const all = await ledger.read<readonly StoredOrganisation[]>("/organisations");
      return all.map((organisation) => organisationView(organisation, operator));
    },
    "POST /organisations": async ({ body, actor, operator }) => {
      const id = fields.id(body, "id");
      const request = { id, name: fields.optionalText(body, "name") ?? id };
      const { created } = await ledger.write<{ readonly created: boolean }>("/organisations", request, actor);
      if (!created)
        throw new Failure("invalid_value", `The organisation ${id} already exists.`, { param: "id", status: 409 });
      return organisationView(await requireOrganisation(ledger, id), operator);
    },
    "GET /organisations/{id}": async ({ params: { id = "" }, operator }) =>
      organisationView(await requireOrganisation(ledger, id), operator),
    "POST /organisations/{id}": async ({ params: { id = "" }, body, actor, operator }) => {
      await rename(ledger, { id, name: fields.text(body, "name") }, actor);
      return organisationView(await requireOrganisation(ledger, id), operator);
    },
    "POST /organisations/{id}/delete": async ({ params: { id = "" }, actor }) => {
      await remove(ledger, { id }, actor);
      return {};
    },
    "POST /organisations/{id}/teams/{team}": async ({ params: { id = "", team = "" }, body, actor, operator }) => {
      await rename(ledger, { id, team, name: fields.text(body, "name") }, actor);
      return organisationView(await requireOrganisation(ledger, id), operator);
    },
    "POST /organisations/{id}/teams/{team}/delete": async ({ params: { id = "", team = "" }, actor, operator }) => {
      // Only operators may release the account, because only they can assign it again.
      const releaseAccount = operator.access === undefined;
      return {
        accountReleased: (await remove(ledger, { id, team, releaseAccount }, actor)) === "deleted-with-account",
      };
    },
    "POST /organisations/{id}/teams": async ({ params: { id = "" }, body, actor, operator }) => {
      const { accounts } = await requireOrganisation(ledger, id);
      const team = fields.id(body, "id");
      const account = fields.text(body, "account");
      // Answers as for an unknown account, because an organisation must not learn of others' accounts.
      const isKnown = operator.account === undefined || accounts.includes(account);
      const request = { id: team, name: fields.optionalText(body, "name") ?? team, account };
      const result = isKnown
        ? (await ledger.write<{ readonly result: string }>(`${pathOf(id)}/teams`, request, actor)).result
        : "no-account";
      if (result === "no-account")
        throw new Failure("invalid_value", `The organisation cannot have the account ${JSON.stringify(account)}.`, {
          param: "account",
        });
      if (result === "exists")
        throw new Failure("invalid_value", `The team ${team} already exists.`, { param: "id", status: 409 });
      return organisationView(await requireOrganisation(ledger, id), operator);
    },
  };
}

/** An organisation, or a team of it. */
interface OrganisationPart {
  readonly id: string;
  readonly team?: string;
}

async function rename(
  ledger: Ledger,
  { id, ...request }: OrganisationPart & { readonly name: string },
  actor: string,
): Promise<void> {
  const { renamed } = await ledger.write<{ readonly renamed: boolean }>(`${pathOf(id)}/rename`, request, actor);
  if (!renamed) throw notFound({ id, ...request });
}

/** Deletes an organisation or a team. Throws Failure (409) while something belongs to it. */
async function remove(
  ledger: Ledger,
  { id, ...request }: OrganisationPart & { readonly releaseAccount?: boolean },
  actor: string,
): Promise<string> {
  const { result } = await ledger.write<{ readonly result: string }>(`${pathOf(id)}/delete`, request, actor);
  if (result === "deleted" || result === "deleted-with-account") return result;
  const message = reasons.get(result);
  if (message === undefined) throw notFound({ id, ...request });
  throw new Failure("invalid_value", message, { status: 409 });
}

/** Messages of refused deletions, by the ledger's result. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["teams", "The organisation has teams; delete them first."],
  ["members", "It has members; remove them first."],
  ["budgets", "The team has budgets; delete them first."],
  ["keys", "The team has or had keys, whose usage names it; it cannot be deleted."],
]);

function notFound({ id, team }: OrganisationPart): Failure {
  const [kind, name] = team === undefined ? ["organisation", id] : ["team", team];
  return new Failure("unknown_url", `There is no ${kind} ${JSON.stringify(name.slice(0, 100))}.`);
}

/** Returns the path of an organisation in the ledger. */
export function pathOf(id: string): string {
  return `/organisations/${encodeURIComponent(id)}`;
}

/** Returns an organisation. Throws Failure (404) if it does not exist. */
export async function requireOrganisation(ledger: Ledger, id: string): Promise<StoredOrganisation> {
  const found = await findOrganisation(ledger, { id });
  if (found !== undefined) return found;
  throw notFound({ id });
}

/** Returns an organisation as a caller sees it. People of teams see only their teams. */
function organisationView(
  { memberships, teams, accounts, ...organisation }: StoredOrganisation,
  operator: Operator,
): object {
  const isAdmin = administersTeam(operator, undefined);
  const membersOf = (team: string) =>
    memberships.filter((each) => each.team === team).map(({ person, role }) => ({ name: person, role }));
  return {
    ...organisation,
    mayAdminister: isAdmin,
    accounts: operator.access?.accounts ?? accounts,
    admins: isAdmin ? membersOf("").map(({ name }) => name) : [],
    teams: teams
      .filter(({ id }) => seesTeam(operator, id))
      .map((team) => ({ ...team, mayAdminister: administersTeam(operator, team.id), members: membersOf(team.id) })),
  };
}
