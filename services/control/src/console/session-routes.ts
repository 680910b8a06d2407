import { Failure } from "@modelgate/contracts";
import { operatorRoles, WithHeaders, type OperatorRoutes } from "@modelgate/platform";
import { fields } from "../api/fields.ts";
import { forgetSession, sessionCookie, setSession } from "./cookie.ts";
import type { Sessions } from "./sessions.ts";

/** Signing in and out of the console, and links to do so. `consoleUrl`: where browsers reach it, if not here. */
export function sessionRoutes(sessions: Sessions, consoleUrl: string | undefined): OperatorRoutes {
  const secure = consoleUrl?.startsWith("https:") ?? false;
  return {
    "POST /sign-in-links": async ({ operator, body }) => {
      if (operator.role !== "admin")
        throw new Failure("permission_denied", "Only an admin may make sign-in links for others.");
      const role = fields.optionalWord(body, "role", operatorRoles) ?? "admin";
      const name = fields.optionalText(body, "name") ?? "operator";
      const { link, expiresAt } = await sessions.makeLink({ name, role });
      // Behind a #: browsers keep that to themselves, so no log on the way has it.
      const path = `/console/sign-in#${link}`;
      return { url: consoleUrl === undefined ? path : new URL(path, consoleUrl).href, expiresAt };
    },
    "POST /session": async ({ body }) => {
      const { session, operator } = await sessions.follow(fields.text(body, "link"));
      return new WithHeaders(operator, { "set-cookie": setSession(session, secure) });
    },
    "GET /session": async ({ operator }) => operator,
    "POST /session/end": async ({ headers }) => {
      const session = sessionCookie(headers);
      if (session !== undefined) await sessions.end(session);
      return new WithHeaders({}, { "set-cookie": forgetSession });
    },
  };
}
