import type { IncomingMessage } from "node:http";
import { Failure } from "@modelgate/contracts";
import type { Authorise, Operator } from "@modelgate/platform";
import type { People } from "../operators/people.ts";
import type { ConsoleCookies } from "./cookie.ts";
import type { Sessions } from "./sessions.ts";

/** Requests that are allowed without signing in. */
const visitorCalls: ReadonlySet<string> = new Set(["POST /session", "GET /sign-in-ways"]);

/** Operator for requests of a person who is not signed in. */
const visitor: Operator = { name: "", role: "viewer" };

/**
 * Authorizes a call by an automation key or the session cookie, and any other call by `byCredential`; visitors' calls
 * need none of them. Browsers also send the cookie with requests from other sites, so a change with the cookie must
 * come from one of the console's pages.
 */
export function bySession(
  { sessions, people, cookies }: { sessions: Sessions; people: Pick<People, "byKey">; cookies: ConsoleCookies },
  byCredential: Authorise,
): Authorise {
  return async (request) => {
    const { method = "", url = "", headers } = request;
    if (visitorCalls.has(`${method} ${url}`)) {
      if (method !== "GET") checkSameOrigin(request);
      return visitor;
    }
    const key = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
    if (key !== undefined) return (await people.byKey(key)) ?? byCredential(request);
    const session = cookies.session(headers);
    if (headers.authorization !== undefined || session === undefined) return byCredential(request);
    const operator = await sessions.find(session);
    if (operator === undefined) throw new Failure("invalid_api_key", "The session has ended. Sign in again.");
    if (method !== "GET") checkSameOrigin(request);
    return operator;
  };
}

/** Throws Failure permission_denied for a call that has no origin, or comes from a page of another origin. */
function checkSameOrigin({ headers: { origin, host } }: IncomingMessage): void {
  if (origin === undefined || host === undefined || !URL.canParse(origin) || new URL(origin).host !== host)
    throw new Failure("permission_denied", "Changes are accepted only from the console's own pages.");
}
