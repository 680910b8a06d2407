import { defineScript, type Redis } from "@modelgate/platform";
import { limitBudgetIds } from "../budgets/budget.ts";
import { accountKeys } from "../keys.ts";
import { endedKeyMs } from "./key.ts";
import type { PreviousKey, Token } from "./token.ts";

type KeyWithDigest = Pick<PreviousKey, "expiresAt" | "replacedAt"> & { readonly digest: string };

const writeScript = defineScript({
  file: new URL("write-token.lua", import.meta.url),
  keys: ["token"],
  args: { record: "text", version: "number", keepMs: "number?" },
  replies: { written: {}, newer: {} },
});

const nameScript = defineScript({
  file: new URL("name-digest.lua", import.meta.url),
  keys: ["ids"],
  args: { id: "text", digest: "text", version: "number", replaced: "number" },
  replies: { named: {}, newer: {} },
});

/**
 * Copies a token from the books to Redis: one record for its key and one for each replaced key. Later versions are not
 * overwritten. Notifies every edge.
 */
export async function writeTokenToRedis(
  redis: Redis,
  digest: string,
  token: Token,
  replaced: readonly KeyWithDigest[] = [],
): Promise<void> {
  const { id, accountId, version = 0, deletedAt } = token;
  const listed = accountKeys.accountTokens(accountId);
  const write = async (key: string, record: Token, keepMs?: number): Promise<void> => {
    const request = { record: JSON.stringify(record), version, keepMs };
    await writeScript(redis, { token: accountKeys.token(key) }, request);
    await redis.publish(accountKeys.tokenChanges, key);
  };
  if (deletedAt !== undefined) {
    for (const key of [digest, ...replaced.map((each) => each.digest)]) {
      await write(key, { ...token, disabled: true }, endedKeyMs);
      await redis.srem(listed, key);
    }
    await redis.hdel(accountKeys.tokenIds, id, `${id}:version`);
    await redis.hdel(accountKeys.budgets(accountId), ...limitBudgetIds(`key:${id}`));
    await redis.hdel(accountKeys.requestDays(accountId), id);
    return;
  }
  await write(digest, token);
  await redis.sadd(listed, digest);
  await nameScript(redis, { ids: accountKeys.tokenIds }, { id, digest, version, replaced: replaced.length });
  for (const { digest: old, replacedAt, expiresAt } of replaced) {
    const end = Math.min(Date.parse(expiresAt), Date.parse(token.expiresAt ?? expiresAt));
    const { previous: _previous, ...record } = token;
    const ended = { ...record, replacedAt, expiresAt: new Date(end).toISOString() };
    await write(old, ended, Math.max(0, end - Date.now()) + endedKeyMs);
    await redis.srem(listed, old);
  }
}
