import { randomBytes } from "node:crypto";
import { keyDigest } from "@modelgate/accounts";
import { Failure, recordParser } from "@modelgate/contracts";
import { operatorRoles, type Operator, type Redis } from "@modelgate/platform";
import { Type, type Static } from "typebox";
import { PermissionVersions, type VersionsByPerson } from "./permission-versions.ts";

const linkSeconds = 600;
const sessionSeconds = 12 * 3_600;
/** Maximum lifetime of a session in ms. */
const maxLifetimeMs = 7 * 86_400_000;

const operatorProperties = {
  name: Type.String(),
  role: Type.Enum([...operatorRoles]),
  account: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  generations: Type.Optional(Type.Record(Type.String(), Type.String())),
};
const linkSchema = Type.Object(operatorProperties);
const readLink = recordParser("sign-in link", linkSchema);
const readSession = recordParser(
  "session",
  Type.Object({ ...operatorProperties, since: Type.Number(), from: Type.String() }),
);

/** Authenticated person, with permission versions that were read before the authentication. */
export interface SignedIn {
  readonly operator: Operator;
  readonly permissionVersions: VersionsByPerson;
}

/** A session as operators see it. Its id cannot be used to sign in. */
export interface SessionView {
  readonly id: string;
  readonly name: string;
  readonly role: Operator["role"];
  readonly account: string | null;
  readonly email: string | null;
  /** Time of the sign-in (RFC 3339). */
  readonly since: string;
  readonly from: string;
}

/** Redis set of the digests of sessions, which may have expired. */
const allSessions = "console:sessions";

/** Sign-in links and sessions of the console. Redis stores only the SHA-256 of their secrets. */
export class Sessions {
  readonly permissionVersions: PermissionVersions;
  readonly #redis: Redis;
  /** Ends the keys that the console made for a person. */
  readonly endKeys: (name: string) => Promise<void>;
  /** Creates the sessions in a Redis. `endKeys` is called when a person signs out or loses access. */
  constructor(redis: Redis, endKeys: (name: string) => Promise<void> = async () => undefined) {
    this.#redis = redis;
    this.endKeys = endKeys;
    this.permissionVersions = new PermissionVersions(redis);
  }

  /**
   * Creates a link that signs in an operator once. It becomes invalid if permissions of the operator or of `maker`, who
   * creates it, change.
   */
  async makeLink(operator: Operator, maker: string): Promise<{ readonly link: string; readonly expiresAt: string }> {
    const link = newSecret();
    const permissionVersions = await this.permissionVersions.of([operator.name, maker]);
    await this.#redis.set(
      linkKey(link),
      JSON.stringify({ ...operator, generations: permissionVersions }),
      "EX",
      linkSeconds,
    );
    return { link, expiresAt: new Date(Date.now() + linkSeconds * 1_000).toISOString() };
  }

  /** Signs in with a link. Throws Failure if it was used, has expired or is invalid. */
  async signInByLink(link: string): Promise<SignedIn> {
    const text = await this.#redis.getdel(linkKey(link));
    const signedIn = text === null ? undefined : signedInOf(readLink(text));
    if (signedIn === undefined || !(await this.permissionVersions.areCurrent(signedIn.permissionVersions)))
      throw new Failure("invalid_api_key", "This sign-in link has been used or has expired. Ask for a new one.");
    return signedIn;
  }

  /** Ends the browser's previous session, starts a new one, and returns its secret. */
  async begin({ operator, permissionVersions }: SignedIn, from: string, previous: string | undefined): Promise<string> {
    if (previous !== undefined) await this.end(previous);
    const session = newSecret();
    const digest = keyDigest(session);
    await this.#redis.set(
      sessionKey(digest),
      JSON.stringify({ ...operator, generations: permissionVersions, since: Date.now(), from }),
      "EX",
      sessionSeconds,
    );
    await this.#redis.sadd(allSessions, digest);
    return session;
  }

  /** Returns the operator of a session, and extends the session. */
  async find(session: string): Promise<Operator | undefined> {
    const text = await this.#redis.getex(sessionKey(keyDigest(session)), "EX", sessionSeconds);
    if (text === null) return undefined;
    const { since, from: _, ...record } = readSession(text);
    const { operator, permissionVersions } = signedInOf(record);
    if (Date.now() - since <= maxLifetimeMs && (await this.permissionVersions.areCurrent(permissionVersions)))
      return operator;
    await this.end(session);
    return undefined;
  }

  async end(session: string): Promise<void> {
    await this.#endByDigest(keyDigest(session));
  }

  /** Lists the open sessions, newest first. */
  async list(): Promise<readonly SessionView[]> {
    return (await this.#open()).map(({ view }) => view);
  }

  /** Ends a person's sessions and keys, and invalidates links by or for the person. */
  async revoke(name: string): Promise<void> {
    await this.permissionVersions.renew(name);
    await this.#endWhere((view) => view.name === name);
    // The person's keys may have outlived the last session.
    await this.endKeys(name);
  }

  /** Ends the session with this id. Returns the number of ended sessions. */
  endById(id: string): Promise<number> {
    return this.#endWhere((view) => view.id === id);
  }

  async #endWhere(isEnded: (view: SessionView) => boolean): Promise<number> {
    const ended = (await this.#open()).filter(({ view }) => isEnded(view));
    for (const { digest } of ended) await this.#endByDigest(digest);
    return ended.length;
  }

  async #endByDigest(digest: string): Promise<void> {
    const text = await this.#redis.getdel(sessionKey(digest));
    await this.#redis.srem(allSessions, digest);
    if (text !== null) await this.endKeys(readSession(text).name);
  }

  async #open(): Promise<readonly { readonly digest: string; readonly view: SessionView }[]> {
    const open: { readonly digest: string; readonly view: SessionView }[] = [];
    for (const digest of await this.#redis.smembers(allSessions)) {
      const text = await this.#redis.get(sessionKey(digest));
      if (text === null) await this.#redis.srem(allSessions, digest);
      else open.push({ digest, view: viewOf(digest, text) });
    }
    return open.toSorted((left, right) => right.view.since.localeCompare(left.view.since));
  }
}

/** Returns the person of a stored session or link. Old ones have no permission versions. */
function signedInOf({ generations, ...operator }: Static<typeof linkSchema>): SignedIn {
  return { operator, permissionVersions: generations ?? { [operator.name]: "" } };
}

function viewOf(digest: string, text: string): SessionView {
  const { name, role, account = null, email = null, since, from } = readSession(text);
  return { id: digest.slice(0, 16), name, role, account, email, since: new Date(since).toISOString(), from };
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function linkKey(link: string): string {
  return `console:link:${keyDigest(link)}`;
}

function sessionKey(digest: string): string {
  return `console:session:${digest}`;
}
