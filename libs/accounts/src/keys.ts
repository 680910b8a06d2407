/**
 * Number of shards. The Redis keys of an account contain the hash tag of its shard, so that one script can use all of
 * them on Redis Cluster. A token's record has no shard, because it is found by the SHA-256 of its key before its
 * account is known.
 */
const shardCount = 64;

/** All shards: "00" to "63". */
export const shards: readonly string[] = Array.from({ length: shardCount }, (_, shard) =>
  String(shard).padStart(2, "0"),
);

const hashTags: readonly string[] = shards.map((shard) => `{s${shard}}`);

/** Returns the shard of an account. */
export function shardOf(accountId: string): string {
  return shards[shardNumber(accountId)] ?? "00";
}

/** Returns the number of an account's shard, from the FNV-1a hash of the account's id. */
function shardNumber(accountId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < accountId.length; at++) hash = Math.imul(hash ^ accountId.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shardCount;
}

const hashTag = (accountId: string): string => hashTags[shardNumber(accountId)] ?? "{s00}";

export const accountKeys = {
  accounts: "accounts",
  account: (accountId: string) => `account:${hashTag(accountId)}:${accountId}`,
  credits: (accountId: string) => `credits:${hashTag(accountId)}:${accountId}`,
  token: (digest: string) => `token:${digest}`,
  clientSecrets: (accountId: string) => `client-secrets:${hashTag(accountId)}:${accountId}`,
  sessionSettings: (accountId: string, id: string) => `session-settings:${hashTag(accountId)}:${id}`,
  contentSizes: (accountId: string) => `content-sizes:${hashTag(accountId)}:${accountId}`,
  contentExpiries: (accountId: string) => `content-expiries:${hashTag(accountId)}:${accountId}`,
  /** Hash: id of a token -> digest of its key; also `{id}:version`, if the key was rotated -> version of that digest. */
  tokenIds: "token-ids",
  /** Time of the last use of a key that was replaced at this time. */
  replacedKeyUse: (tokenId: string, replacedAt: string) => `replaced-key-use:${tokenId}:${replacedAt}`,
  accountTokens: (accountId: string) => `tokens:${hashTag(accountId)}:${accountId}`,
  bucket: (accountId: string, limitsId: string) => `bucket:${hashTag(accountId)}:${limitsId}`,
  seats: (accountId: string, limitsId: string) => `seats:${hashTag(accountId)}:${limitsId}`,
  hold: (accountId: string, callId: string) => `hold:${hashTag(accountId)}:${callId}`,
  holdOfShard: (shard: string, callId: string) => `hold:{s${shard}}:${callId}`,
  holds: (shard: string) => `holds:{s${shard}}`,
  task: (accountId: string, taskId: string) => `task:${hashTag(accountId)}:${accountId}:${taskId}`,
  tasksOf: (accountId: string) => `tasks-of:${hashTag(accountId)}:${accountId}`,
  tasksDue: (shard: string) => `tasks-due:{s${shard}}`,
  callbacksDue: (shard: string) => `callbacks-due:{s${shard}}`,
  callbacks: (shard: string) => `callbacks:{s${shard}}`,
  /** Hash: id of a budget -> its spending; see budgets.lua. The spending of a key is deleted with the key. */
  budgets: (accountId: string) => `budgets:${hashTag(accountId)}:${accountId}`,
  /** JSON of the account's budgets. Their version is in the account's hash. */
  budgetList: (accountId: string) => `budget-list:${hashTag(accountId)}:${accountId}`,
  outbox: (shard: string) => `outbox:{s${shard}}`,
  /** Exists while a ledger verifies the account. */
  verifying: (accountId: string) => `verifying:${hashTag(accountId)}:${accountId}`,
  /** Divergences that the last verification of an account found, by account. */
  divergences: "divergences",
  sent: (shard: string) => `sent:{s${shard}}`,
  late: (shard: string) => `late:{s${shard}}`,
  charged: (accountId: string) => `charged:${hashTag(accountId)}:${accountId}`,
  /** Id of the books that Redis was filled from. Missing if Redis has lost its data. */
  epoch: "epoch",
  /** Runs of the Redis servers in which Redis is known to contain all data of the books. */
  completeRuns: "whole-runs",
  /** Pub/sub channel on which the SHA-256 of a changed token's key is published. */
  tokenChanges: "tokens",
} as const;
