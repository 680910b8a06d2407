/**
 * Every Redis key of accounts, in one place. All keys of an account carry the hash tag of its shard, so that one
 * script can touch them on Redis Cluster. A token is found by its SHA-256 before its account is known: its record
 * stands alone.
 */
const shardCount = 64;

/** All shards, "00" to "63". */
export const shards: readonly string[] = Array.from({ length: shardCount }, (_, shard) =>
  String(shard).padStart(2, "0"),
);

/** Returns the shard of an account: FNV-1a of its id. */
export function shardOf(accountId: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < accountId.length; at++) hash = Math.imul(hash ^ accountId.charCodeAt(at), 0x01000193);
  return shards[(hash >>> 0) % shardCount] ?? "00";
}

const tag = (accountId: string): string => `{s${shardOf(accountId)}}`;

export const accountKeys = {
  accounts: "accounts",
  account: (accountId: string) => `account:${tag(accountId)}:${accountId}`,
  credits: (accountId: string) => `credits:${tag(accountId)}:${accountId}`,
  token: (digest: string) => `token:${digest}`,
  clientSecrets: (accountId: string) => `client-secrets:${tag(accountId)}:${accountId}`,
  sessionSettings: (accountId: string, id: string) => `session-settings:${tag(accountId)}:${id}`,
  contentSizes: (accountId: string) => `content-sizes:${tag(accountId)}:${accountId}`,
  contentExpiries: (accountId: string) => `content-expiries:${tag(accountId)}:${accountId}`,
  tokenIds: "token-ids",
  accountTokens: (accountId: string) => `tokens:${tag(accountId)}:${accountId}`,
  bucket: (accountId: string, limitsId: string) => `bucket:${tag(accountId)}:${limitsId}`,
  seats: (accountId: string, limitsId: string) => `seats:${tag(accountId)}:${limitsId}`,
  hold: (accountId: string, callId: string) => `hold:${tag(accountId)}:${callId}`,
  holdOfShard: (shard: string, callId: string) => `hold:{s${shard}}:${callId}`,
  holds: (shard: string) => `holds:{s${shard}}`,
  task: (accountId: string, taskId: string) => `task:${tag(accountId)}:${accountId}:${taskId}`,
  tasksOf: (accountId: string) => `tasks-of:${tag(accountId)}:${accountId}`,
  tasksDue: (shard: string) => `tasks-due:{s${shard}}`,
  callbacksDue: (shard: string) => `callbacks-due:{s${shard}}`,
  callbacks: (shard: string) => `callbacks:{s${shard}}`,
  budgets: (accountId: string, period: string) => `budgets:${tag(accountId)}:${accountId}:${period}`,
  outbox: (shard: string) => `outbox:{s${shard}}`,
  /** Set while a ledger verifies the account. */
  verifying: (accountId: string) => `verifying:${tag(accountId)}:${accountId}`,
  /** Accounts whose last verification found a divergence, with that divergence. */
  divergences: "divergences",
  sent: (shard: string) => `sent:{s${shard}}`,
  late: (shard: string) => `late:{s${shard}}`,
  charged: (accountId: string) => `charged:${tag(accountId)}:${accountId}`,
  /** The id of the books that Redis was filled from: absent in a Redis that has lost all. */
  epoch: "epoch",
  /** The runs of Redis' servers that were compared with the books. */
  wholeRuns: "whole-runs",
  /** Pub/sub: the SHA-256 of a token that changed. */
  tokenChanges: "tokens",
} as const;
