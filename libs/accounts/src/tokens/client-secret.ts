import { randomBytes } from "node:crypto";
import { Type, type Static } from "typebox";
import { Failure, recordParser } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { clockScript } from "../shared-scripts.ts";
import { keyDigest } from "./key.ts";
import type { Token } from "./token.ts";

/** Request for a short-lived key that opens sessions on behalf of an API key, with fixed settings. */
export interface NewClientSecret {
  readonly token: Token;
  readonly models: readonly string[];
  readonly expiresAt: string;
  readonly lifetimeSeconds: number;
  readonly settings: string;
}

/**
 * Time in seconds for which the settings are stored after the key's expiry. A connection may have begun just before the
 * expiry.
 */
const graceSeconds = 60;

const maxClientSecrets = 1_000;

const countSecret = defineScript({
  file: new URL("count-secret.lua", import.meta.url),
  shared: [clockScript],
  keys: ["secrets"],
  args: { id: "text", lifetimeMs: "number", maxSecrets: "number", nowMs: "number?" },
  replies: { counted: {}, full: {} },
});

interface ClientSecretStores {
  readonly redis: Redis;
  readonly content: Redis;
}

/**
 * Creates a client secret and returns the key, which is not in the books. Throws Failure content_limit_exceeded if the
 * account has too many client secrets. `nowMs` replaces Redis' clock in tests.
 */
export async function newClientSecret(
  { redis, content }: ClientSecretStores,
  request: NewClientSecret,
  nowMs?: number,
): Promise<string> {
  const key = `ek_${randomBytes(36).toString("base64url")}`;
  const digest = keyDigest(key);
  const settingsId = digest.slice(0, 32);
  const { token, models, expiresAt, lifetimeSeconds, settings } = request;
  const secrets = accountKeys.clientSecrets(token.accountId);
  const countArguments = { id: settingsId, lifetimeMs: lifetimeSeconds * 1_000, maxSecrets: maxClientSecrets, nowMs };
  if ((await countSecret(redis, { secrets }, countArguments)).verdict === "full")
    throw new Failure(
      "content_limit_exceeded",
      `The account has ${maxClientSecrets} client secrets: wait until some expire.`,
    );
  const record: Token = { ...token, models, createdAt: new Date().toISOString(), expiresAt, settingsId };
  // The Redis for content has only the settings of the session, so the edge authenticates a key
  // without that Redis.
  await content.set(
    accountKeys.sessionSettings(token.accountId, settingsId),
    settings,
    "EX",
    lifetimeSeconds + graceSeconds,
  );
  await redis.set(accountKeys.token(digest), JSON.stringify(record), "EX", lifetimeSeconds + graceSeconds);
  return key;
}

/** Initial settings of a session. All members except the model are in the vendor's format. */
const SessionSettings = Type.Object({ model: Type.String() });
export type SessionSettings = Static<typeof SessionSettings>;
const readSettings = recordParser("session settings", SessionSettings);

/** Returns the settings of a key; undefined if they have expired. Throws UnknownShape. */
export async function findSessionSettings(
  content: Redis,
  accountId: string,
  id: string,
): Promise<SessionSettings | undefined> {
  const text = await content.get(accountKeys.sessionSettings(accountId, id));
  return text === null ? undefined : readSettings(text);
}
