import { randomBytes } from "node:crypto";
import { Type, type Static } from "typebox";
import { Failure, stored } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { clockScript } from "../shared-scripts.ts";
import { digestOf } from "./key.ts";
import type { Token } from "./token.ts";

/** A short-lived key that opens sessions as another token does, with settings that its owner chose. */
export interface ClientSecretRequest {
  /** The token whose account, limits and budget it uses. */
  readonly token: Token;
  /** The models that it can call. */
  readonly models: readonly string[];
  readonly expiresAt: string;
  readonly lifetimeSeconds: number;
  /** The session's settings, as JSON. */
  readonly settings: string;
}

/** Time for which settings outlive their key: a connection that began in the key's last moment still reads them. */
const graceSeconds = 60;

/** Maximum number of client secrets that one account has at a time: each is a record in the Redis of money. */
const maxClientSecrets = 1_000;

const countSecret = defineScript({
  file: new URL("count-secret.lua", import.meta.url),
  shared: [clockScript],
  keys: ["secrets"],
  args: { id: "text", lifetimeMs: "number", maxSecrets: "number", nowMs: "number?" },
  replies: { counted: {}, full: {} },
});

/** The Redis that the edge finds keys in, and that of clients' content. */
interface ClientSecretStores {
  readonly redis: Redis;
  readonly content: Redis;
}

/**
 * Makes such a key; it expires in Redis, and is not in the books. The edge must find it without the content's Redis:
 * only the session's settings are there. Throws Failure where the account has as many as it may. `nowMs` replaces Redis'
 * time in tests.
 */
export async function newClientSecret(
  { redis, content }: ClientSecretStores,
  request: ClientSecretRequest,
  nowMs?: number,
): Promise<string> {
  const key = `ek_${randomBytes(36).toString("base64url")}`;
  const digest = digestOf(key);
  const settingsId = digest.slice(0, 32);
  const { token, models, expiresAt, lifetimeSeconds, settings } = request;
  const secrets = accountKeys.clientSecrets(token.accountId);
  const counting = { id: settingsId, lifetimeMs: lifetimeSeconds * 1_000, maxSecrets: maxClientSecrets, nowMs };
  if ((await countSecret(redis, { secrets }, counting)).verdict === "full")
    throw new Failure(
      "content_limit_exceeded",
      `The account has ${maxClientSecrets} client secrets: wait until some expire.`,
    );
  const record: Token = { ...token, models, expiresAt, settingsId };
  await content.set(
    accountKeys.sessionSettings(token.accountId, settingsId),
    settings,
    "EX",
    lifetimeSeconds + graceSeconds,
  );
  await redis.set(accountKeys.token(digest), JSON.stringify(record), "EX", lifetimeSeconds + graceSeconds);
  return key;
}

/** The settings that a session begins with; all but the model is the vendor's format. */
const SessionSettings = Type.Object({ model: Type.String() });
export type SessionSettings = Static<typeof SessionSettings>;
const readSettings = stored("session settings", SessionSettings);

/** The settings that a key is bound to; undefined where they have expired. Throws UnknownShape. */
export async function findSessionSettings(
  content: Redis,
  accountId: string,
  id: string,
): Promise<SessionSettings | undefined> {
  const text = await content.get(accountKeys.sessionSettings(accountId, id));
  return text === null ? undefined : readSettings(text);
}
