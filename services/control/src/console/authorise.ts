import type { IncomingMessage } from "node:http";
import { Failure } from "@modelgate/contracts";
import { visitor, type Authorise } from "@modelgate/platform";
import type { People } from "../operators/people.ts";
import type { ConsoleCookies } from "./cookie.ts";
import type { Sessions } from "./sessions.ts";

/** Requests that are allowed without signing in. */
const visitorCalls: ReadonlySet<string> = new Set(["POST /session", "GET /sign-in-ways"]);

interface SessionAuthority {
  readonly sessions: Pick<Sessions, "find">;
  readonly people: Pick<People, "findByKey">;
  readonly cookies: ConsoleCookies;
  /** `consoleUrl` is the address of the console for browsers. */
  readonly env: { readonly consoleUrl: string | undefined };
}

/**
 * Authorizes a call by automation key, session cookie, or `byCredential`. A change with the cookie must come from a
 * page of the console, because browsers may send the cookie with requests of other sites.
 */
export function authoriseBySession(
  { sessions, people, cookies, env: { consoleUrl } }: SessionAuthority,
  byCredential: Authorise,
): Authorise {
  const checkOrigin = (request: IncomingMessage): void => checkConsoleOrigin(request, consoleUrl);
  return async (request) => {
    const { method = "", url = "", headers } = request;
    if (visitorCalls.has(`${method} ${url}`)) {
      if (method !== "GET") checkOrigin(request);
      return visitor;
    }
    const key = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
    if (key !== undefined) return (await people.findByKey(key)) ?? byCredential(request);
    const session = cookies.findSession(headers);
    if (headers.authorization !== undefined || session === undefined) return byCredential(request);
    const operator = await sessions.find(session);
    if (operator === undefined) throw new Failure("invalid_api_key", "The session has ended. Sign in again.");
    if (method !== "GET") checkOrigin(request);
    return operator;
  };
}

/** Throws Failure for a call without an origin, or from another origin than that of the console. */
function checkConsoleOrigin({ headers: { origin, host } }: IncomingMessage, consoleUrl: string | undefined): void {
  if (origin !== undefined && URL.canParse(origin)) {
    if (new URL(origin).host === host) return;
    // A proxy may send another Host than browsers do.
    if (consoleUrl !== undefined && new URL(consoleUrl).origin === origin) return;
  }
  throw new Failure("permission_denied", "Changes are accepted only from the console's own pages.");
}
