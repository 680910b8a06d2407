import type { IncomingMessage } from "node:http";

const name = "modelgate_session";

/** The session's secret that a browser sends; undefined where it sends none. */
export function sessionCookie(headers: IncomingMessage["headers"]): string | undefined {
  return cookieIn(headers, name);
}

/** A cookie that a browser sends. */
export function cookieIn({ cookie = "" }: IncomingMessage["headers"], called: string): string | undefined {
  const pairs = cookie.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${called}=`))?.slice(called.length + 1);
}

/** The header that gives a browser its session: scripts cannot read it, other sites' pages do not send it. */
export function setSession(session: string, secure: boolean): string {
  return `${name}=${session}; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}

/** The header that makes a browser forget its session. */
export const forgetSession = `${name}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
