import { Failure } from "@modelgate/contracts";
import { operatorRoles, type OperatorRole, type OperatorRoutes, type Redis } from "@modelgate/platform";
import { requireAccount } from "../api/accounts.ts";
import { fields } from "../api/fields.ts";
import type { Sessions } from "../console/sessions.ts";
import { actorOfKey, type People } from "./people.ts";

/** Dependencies of the operator routes. */
export interface PeopleRouteDeps {
  readonly redis: Redis;
  readonly people: People;
  readonly sessions: Sessions;
}

/** Routes of operators and automation keys. */
export function peopleRoutes({ redis, people, sessions }: PeopleRouteDeps): OperatorRoutes {
  /** Reads the account of a new member; undefined for all accounts. Throws Failure if it does not exist. */
  const accountIn = async (body: unknown): Promise<string | undefined> => {
    const account = fields.optionalText(body, "account");
    return account === undefined ? undefined : (await requireAccount(redis, account)).id;
  };
  return {
    "GET /operators": () => people.list(),
    "POST /operators": async ({ body, actor }) => {
      const account = await accountIn(body);
      const request = {
        name: fields.newOperatorName(body, "name"),
        role: roleIn(body, account),
        account,
        password: fields.optionalText(body, "password"),
      };
      return people.create(request, actor);
    },
    "POST /operators/{name}": async ({ params, body, actor, operator }) => {
      const name = params["name"] ?? "";
      const change = {
        role: fields.optionalWord(body, "role", operatorRoles),
        password: fields.optionalText(body, "password"),
        disabled: fields.optionalBoolean(body, "disabled"),
      };
      if (name === operator.name && (change.disabled === true || change.role !== undefined))
        throw new Failure("invalid_value", "Ask another admin to change your own role.", { param: "role" });
      const changed = await people.change(name, change, actor);
      // After the write, so that a simultaneous sign-in with the old rights ends too.
      await sessions.revoke(name);
      return changed;
    },
    "GET /operator-keys": () => people.listKeys(),
    "POST /operator-keys": async ({ body, actor }) => {
      const account = await accountIn(body);
      return people.createKey({ name: fields.operatorName(body, "name"), role: roleIn(body, account), account }, actor);
    },
    "POST /operator-keys/{id}/delete": async ({ params, actor }) => {
      const id = params["id"] ?? "";
      const key = (await people.listKeys()).find((candidate) => candidate.id === id);
      await people.deleteKey(id, actor);
      if (key !== undefined) await sessions.revoke(actorOfKey(key));
      return {};
    },
  };
}

/** Reads a role. Throws Failure for an admin of a single account. */
function roleIn(body: unknown, account: string | undefined): OperatorRole {
  const role = fields.optionalWord(body, "role", operatorRoles) ?? "viewer";
  if (account !== undefined && role === "admin")
    throw new Failure("invalid_value", "A member of an account is a viewer or an operator of it.", { param: "role" });
  return role;
}
