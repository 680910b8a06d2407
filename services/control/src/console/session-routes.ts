import { present } from "@modelgate/contracts";
import type { IncomingHttpHeaders } from "node:http";
import { operatorRoles, WithHeaders, type Operator, type OperatorRoutes } from "@modelgate/platform";
import { fields } from "../api/fields.ts";
import type { People } from "../operators/people.ts";
import type { SignInLimits } from "../operators/sign-in-limits.ts";
import { forgetSession, sessionCookie, setSession } from "./cookie.ts";
import type { Sessions } from "./sessions.ts";

/** What signing in works with. */
export interface SessionRouteDeps {
  readonly sessions: Sessions;
  readonly people: People;
  readonly limits: SignInLimits;
  /** Where browsers reach the console, if not here. */
  readonly consoleUrl: string | undefined;
  /** Whether an OpenID provider is set up. */
  readonly hasProvider: boolean;
  /** The address of a browser. */
  readonly addressOf: (call: { readonly headers: IncomingHttpHeaders; readonly address: string }) => string;
}

/** Signing in to the console and out of it, links to do so, and the sessions that are open. */
export function sessionRoutes(deps: SessionRouteDeps): OperatorRoutes {
  const { sessions, people, limits, consoleUrl } = deps;
  const isSecure = consoleUrl?.startsWith("https:") ?? false;
  return {
    "POST /sign-in-links": async ({ body }) => {
      const role = fields.optionalWord(body, "role", operatorRoles) ?? "admin";
      const name = fields.optionalText(body, "name") ?? "operator";
      const account = fields.optionalText(body, "account");
      const { link, expiresAt } = await sessions.makeLink({ name, role, account });
      // Behind a #: browsers keep that to themselves, so no log on the way has it.
      const path = `/console/sign-in#${link}`;
      return { url: consoleUrl === undefined ? path : new URL(path, consoleUrl).href, expiresAt };
    },
    "GET /sign-in-ways": async () => ({ provider: deps.hasProvider }),
    "POST /session": async ({ body, headers, address: peer }) => {
      const address = deps.addressOf({ headers, address: peer });
      const link = fields.optionalText(body, "link");
      const name = link === undefined ? fields.text(body, "name") : undefined;
      const signIn = (): Promise<Operator> =>
        name === undefined ? sessions.follow(link ?? "") : people.byPassword(name, fields.text(body, "password"));
      const operator = await limits.run(present({ address, name }), signIn);
      const session = await sessions.begin(operator, address, sessionCookie(headers));
      return new WithHeaders(sessionView(operator), { "set-cookie": setSession(session, isSecure) });
    },
    "GET /session": async ({ operator }) => sessionView(operator),
    "POST /session/end": async ({ headers }) => {
      const session = sessionCookie(headers);
      if (session !== undefined) await sessions.end(session);
      return new WithHeaders({}, { "set-cookie": forgetSession });
    },
    "GET /sessions": () => sessions.list(),
    "POST /sessions/{id}/end": async ({ params }) => ({ ended: await sessions.endAll({ id: params["id"] ?? "" }) }),
  };
}

function sessionView({ name, role, account }: Operator) {
  return { name, role, account: account ?? null };
}
