import { Failure, organisationScope } from "@modelgate/contracts";
import { operatorRoles, type Operator, type OperatorCall, type OperatorRoutes, type Redis } from "@modelgate/platform";
import { requireAccount } from "../api/accounts.ts";
import { fields } from "../api/fields.ts";
import type { Ledger } from "../ledger.ts";
import { accessIn, administersTeam, seesTeam, teamRoles, type StoredOrganisation } from "./access.ts";
import { invitePerson, type InviteDeps } from "./invite.ts";
import { requireOrganisation, pathOf } from "./routes.ts";

interface MemberRouteDeps extends InviteDeps {
  readonly redis: Redis;
  readonly ledger: Ledger;
}

/** Routes of the members of organisations, teams and accounts. */
export function memberRoutes(deps: MemberRouteDeps): OperatorRoutes {
  const { redis, ledger, people, sessions } = deps;
  return {
    "POST /organisations/{id}/members": async (call) => {
      const { params, body, actor } = call;
      const { id = "" } = params;
      const organisation = await requireOrganisation(ledger, id);
      const team = teamIn(call, organisation);
      const name = fields.newOperatorName(body, "name");
      const role = fields.optionalWord(body, "role", teamRoles) ?? "member";
      if (team === "" && role !== "admin")
        throw new Failure("invalid_value", "A member needs a team; without one, the role is admin.", { param: "team" });
      const link = await invitePerson(deps, { name, role: "operator", account: organisationScope(id) }, call, {
        administersAll: async () => administersAll(call.operator, await requireOrganisation(ledger, id), name),
        grant: () => ledger.write(`${pathOf(id)}/members`, { person: name, membership: { team, role } }, actor),
      });
      return { name, ...link, team: team || null, role };
    },
    "POST /organisations/{id}/members/{name}/remove": async (call) => {
      const { id = "", name = "" } = call.params;
      const organisation = await requireOrganisation(ledger, id);
      const team = teamIn(call, organisation);
      const membership = organisation.memberships.find((each) => each.person === name && each.team === team);
      if (membership === undefined)
        throw new Failure("unknown_url", `There is no member ${JSON.stringify(name.slice(0, 100))}.`);
      const ended = { team, role: null, mayEndLastAdmin: call.operator.access === undefined };
      await ledger.write(`${pathOf(id)}/members`, { person: name, membership: ended }, call.actor);
      // An admin may have made sign-in links for others, which `revoke` invalidates.
      if (membership.role === "admin") await sessions.revoke(name);
      else await sessions.endKeys(name);
      return {};
    },
    "GET /accounts/{id}/members": async ({ params: { id = "" } }) => {
      const { id: account } = await requireAccount(redis, id);
      return (await people.list())
        .filter((person) => person.account === account)
        .map(({ name, role, email, disabled }) => ({ name, role, email, disabled }));
    },
    "POST /accounts/{id}/members": async (call) => {
      const { id: account } = await requireAccount(redis, call.params["id"] ?? "");
      const name = fields.newOperatorName(call.body, "name");
      const role = fields.optionalWord(call.body, "role", operatorRoles) ?? "viewer";
      if (role === "admin")
        throw new Failure("invalid_value", "A member of an account is a viewer or an operator of it.", {
          param: "role",
        });
      const link = await invitePerson(deps, { name, role, account }, call, {
        // The link signs in as the person, so only an admin of the gateway may make it for an existing one.
        administersAll: async (isNew) => isNew || call.operator.role === "admin",
        grant: async () => undefined,
      });
      return { name, ...link };
    },
  };
}

/** Reads the team of a request; "" for the whole organisation. Throws Failure if the caller does not administer it. */
function teamIn({ body, operator }: OperatorCall, { teams }: StoredOrganisation): string {
  const team = fields.optionalText(body, "team");
  if (team !== undefined && !(seesTeam(operator, team) && teams.some(({ id }) => id === team)))
    throw new Failure("invalid_value", `There is no team ${JSON.stringify(team.slice(0, 100))}.`, { param: "team" });
  if (administersTeam(operator, team)) return team ?? "";
  throw new Failure("permission_denied", "Only an admin of the organisation or of the team may do this.");
}

/**
 * Returns whether a caller administers all that a person may access. A person without a team may have been an admin of
 * the organisation.
 */
function administersAll(operator: Operator, organisation: StoredOrganisation, person: string): boolean {
  const { teams } = accessIn(organisation, person);
  return teams === undefined || teams.length === 0
    ? administersTeam(operator, undefined)
    : teams.every(({ id }) => administersTeam(operator, id));
}
