import { createHash, randomBytes } from "node:crypto";
import { Failure } from "@modelgate/contracts";
import { operatorRoles, type Operator, type Redis } from "@modelgate/platform";

/** How long a sign-in link may be followed, and a session may stand idle, in seconds. */
const linkSeconds = 600;
const sessionSeconds = 12 * 3_600;

/**
 * Sign-in links and sessions of the console, in Redis under the SHA-256 of their secrets: they are short-lived, so a Redis
 * that is lost asks people to sign in again and loses nothing else.
 */
export class Sessions {
  readonly #redis: Redis;
  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** Makes a link's secret that signs in once, as an operator. */
  async makeLink(operator: Operator): Promise<{ readonly link: string; readonly expiresAt: string }> {
    const link = newSecret();
    await this.#redis.set(linkKey(link), JSON.stringify(operator), "EX", linkSeconds);
    return { link, expiresAt: new Date(Date.now() + linkSeconds * 1_000).toISOString() };
  }

  /** Follows a link: the session's secret, and who it is for. Throws Failure invalid_api_key where the link is used up. */
  async follow(link: string): Promise<{ readonly session: string; readonly operator: Operator }> {
    const operator = operatorIn(await this.#redis.getdel(linkKey(link)));
    if (operator === undefined)
      throw new Failure("invalid_api_key", "This sign-in link has been used or has expired. Ask for a new one.");
    const session = newSecret();
    await this.#redis.set(sessionKey(session), JSON.stringify(operator), "EX", sessionSeconds);
    return { session, operator };
  }

  /** The operator of a session that is in use, whose time begins anew; undefined where it has ended. */
  async find(session: string): Promise<Operator | undefined> {
    return operatorIn(await this.#redis.getex(sessionKey(session), "EX", sessionSeconds));
  }

  /** Ends a session at once, on every replica. */
  async end(session: string): Promise<void> {
    await this.#redis.del(sessionKey(session));
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function linkKey(link: string): string {
  return `console:link:${hashOf(link)}`;
}

function sessionKey(session: string): string {
  return `console:session:${hashOf(session)}`;
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** An operator as it was stored; undefined for anything else. */
function operatorIn(text: string | null): Operator | undefined {
  if (text === null) return undefined;
  const stored: unknown = JSON.parse(text);
  if (typeof stored !== "object" || stored === null || !("name" in stored) || !("role" in stored)) return undefined;
  const role = operatorRoles.find((known) => known === stored.role);
  return typeof stored.name === "string" && role !== undefined ? { name: stored.name, role } : undefined;
}
