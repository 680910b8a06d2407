import type { IncomingMessage } from "node:http";
import { Failure } from "@modelgate/contracts";
import type { Authorise, Operator } from "@modelgate/platform";
import type { People } from "../operators/people.ts";
import type { ConsoleCookies } from "./cookie.ts";
import type { Sessions } from "./sessions.ts";

/** Requests that are allowed before signing in. */
const visitorsCalls: ReadonlySet<string> = new Set(["POST /session", "GET /sign-in-ways"]);

/** The one who signs in has no role yet. */
const visitor: Operator = { name: "", role: "viewer" };

/**
 * Authorises a call by a key for automation, by the session in its cookie, or else by its credential. A browser sends the
 * cookie also with what another site asks for, so a change must come from the console's own pages.
 */
export function bySession(
  { sessions, people, cookies }: { sessions: Sessions; people: Pick<People, "byKey">; cookies: ConsoleCookies },
  byCredential: Authorise,
): Authorise {
  return async (request) => {
    const { method = "", url = "", headers } = request;
    if (visitorsCalls.has(`${method} ${url}`)) {
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

/** Throws Failure permission_denied where a call comes from a page of another origin, or from no page at all. */
function checkSameOrigin({ headers: { origin, host } }: IncomingMessage): void {
  if (origin === undefined || host === undefined || !URL.canParse(origin) || new URL(origin).host !== host)
    throw new Failure("permission_denied", "Changes are accepted only from the console's own pages.");
}
