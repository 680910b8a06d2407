import type { IncomingMessage } from "node:http";
import { Failure } from "@modelgate/contracts";
import type { Authorise, Operator } from "@modelgate/platform";
import { sessionCookie } from "./cookie.ts";
import type { Sessions } from "./sessions.ts";

/** The one path that is asked for without a session. */
export const signInPath = "/session";

/**
 * Authorises a call by the session in its cookie, or else by its credential. A browser sends the cookie also with what
 * another site asks for, so a change must come from the console's own pages, by an operator whose role allows it.
 */
export function bySession(sessions: Sessions, byCredential: Authorise): Authorise {
  return async (request) => {
    if (request.method === "POST" && request.url === signInPath) return visitor(request);
    const session = sessionCookie(request.headers);
    if (request.headers.authorization !== undefined || session === undefined) return byCredential(request);
    const operator = await sessions.find(session);
    if (operator === undefined) throw new Failure("invalid_api_key", "The session has ended. Sign in again.");
    if (request.method !== "GET") checkChange(request, operator);
    return operator;
  };
}

/** The one who signs in has no role yet. */
function visitor(request: IncomingMessage): Operator {
  checkSameOrigin(request);
  return { name: "", role: "viewer" };
}

function checkChange(request: IncomingMessage, { role }: Operator): void {
  checkSameOrigin(request);
  if (role === "viewer") throw new Failure("permission_denied", "A viewer may look, but not change anything.");
}

/** Throws Failure permission_denied where a call comes from a page of another origin, or from no page at all. */
function checkSameOrigin({ headers: { origin, host } }: IncomingMessage): void {
  if (origin === undefined || host === undefined || !URL.canParse(origin) || new URL(origin).host !== host)
    throw new Failure("permission_denied", "Changes are taken only from the console's own pages.");
}
