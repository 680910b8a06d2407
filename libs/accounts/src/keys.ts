/**
 * Number of shards. All Redis keys of an account contain its shard, so that one script can use them on Redis Cluster.
 * The key of a token's record contains no shard, because the account is not known before the record is read.
 */
const shardCount = 64;

export const shards: readonly string[] = Array.from({ length: shardCount }, (_, shard) =>
  String(shard).padStart(2, "0"),
);

/**
 * Returns the shard of an account, from the FNV-1a hash of its id up to the first `~`. The accounts of an organisation
 * (acme, acme~search, acme~ads) thus share a shard, and one script can change their budgets.
 */
export function shardOf(accountId: string): string {
  const separator = accountId.indexOf("~");
  const end = separator < 0 ? accountId.length : separator;
  let hash = 0x811c9dc5;
  for (let at = 0; at < end; at++) hash = Math.imul(hash ^ accountId.charCodeAt(at), 0x01000193);
  return shards[(hash >>> 0) % shardCount] ?? "00";
}

export const accountKeys = {
  accounts: "accounts",
  account: (accountId: string) => `account:{s${shardOf(accountId)}}:${accountId}`,
  credits: (accountId: string) => `credits:{s${shardOf(accountId)}}:${accountId}`,
  token: (digest: string) => `token:${digest}`,
  clientSecrets: (accountId: string) => `client-secrets:{s${shardOf(accountId)}}:${accountId}`,
  sessionSettings: (accountId: string, id: string) => `session-settings:{s${shardOf(accountId)}}:${id}`,
  contentSizes: (accountId: string) => `content-sizes:{s${shardOf(accountId)}}:${accountId}`,
  contentExpiries: (accountId: string) => `content-expiries:{s${shardOf(accountId)}}:${accountId}`,
  /**
   * Hash: id of a token -> digest of its key; also `{id}:version` -> version of that digest, if the key was rotated.
   */
  tokenIds: "token-ids",
  /** Time at which a key that was replaced at `replacedAt` was last used. */
  replacedKeyUse: (tokenId: string, replacedAt: string) => `replaced-key-use:${tokenId}:${replacedAt}`,
  accountTokens: (accountId: string) => `tokens:{s${shardOf(accountId)}}:${accountId}`,
  bucket: (accountId: string, limitsId: string) => `bucket:{s${shardOf(accountId)}}:${limitsId}`,
  /** Hash: id of a token with a limit of requests per day -> latest day with a request, and its number of requests. */
  requestDays: (accountId: string) => `request-days:{s${shardOf(accountId)}}:${accountId}`,
  seats: (accountId: string, limitsId: string) => `seats:{s${shardOf(accountId)}}:${limitsId}`,
  hold: (accountId: string, callId: string) => `hold:{s${shardOf(accountId)}}:${callId}`,
  holdOfShard: (shard: string, callId: string) => `hold:{s${shard}}:${callId}`,
  holds: (shard: string) => `holds:{s${shard}}`,
  task: (accountId: string, taskId: string) => `task:{s${shardOf(accountId)}}:${accountId}:${taskId}`,
  tasksOf: (accountId: string) => `tasks-of:{s${shardOf(accountId)}}:${accountId}`,
  tasksDue: (shard: string) => `tasks-due:{s${shard}}`,
  callbacksDue: (shard: string) => `callbacks-due:{s${shard}}`,
  callbacks: (shard: string) => `callbacks:{s${shard}}`,
  /** Hash: id of a budget -> its spending; see budgets.lua. */
  budgets: (accountId: string) => `budgets:{s${shardOf(accountId)}}:${accountId}`,
  /** Hash: id of an organisation's budget -> its spending. `owner` is `organisation:ID`. */
  budgetsOfOrganisation: (accountId: string, owner: string) => `budgets:{s${shardOf(accountId)}}:${owner}`,
  /** JSON of the account's budgets. Their version is in the account's hash. */
  budgetList: (accountId: string) => `budget-list:{s${shardOf(accountId)}}:${accountId}`,
  outbox: (shard: string) => `outbox:{s${shard}}`,
  /** Exists while a ledger verifies the account. */
  verifying: (accountId: string) => `verifying:{s${shardOf(accountId)}}:${accountId}`,
  /** Hash: id of an account -> divergence that its last verification found. */
  divergences: "divergences",
  sent: (shard: string) => `sent:{s${shard}}`,
  late: (shard: string) => `late:{s${shard}}`,
  charged: (accountId: string) => `charged:{s${shardOf(accountId)}}:${accountId}`,
  /** Id of the books that Redis was filled from. Missing if Redis has lost its data. */
  epoch: "epoch",
  /** Run ids (`run_id`) of the Redis servers that contain all data of the books. */
  completeRuns: "whole-runs",
  /** Pub/sub channel with the SHA-256 of a changed token's key. */
  tokenChanges: "tokens",
} as const;
