import { Redis } from "ioredis";
import { createAccount, hold, publishEntries, settle, verifyAccount } from "@modelgate/accounts";
import { readReceipts, recordCalls, verifyTotals, wasReplaced, type Books } from "@modelgate/books";
import { testUsageDraft, startLocalBackends } from "@modelgate/testkit";
import type { UsageEvent } from "@modelgate/contracts";
import type { Bus } from "@modelgate/platform";

const accountId = "many";
/** Number of concurrent settlements, and of events per batch. */
const batchSize = 500;

/** Discards every event and reports it as stored. */
const bus: Bus = {
  connected: true,
  publish: (messages) => Promise.resolve(messages.map(() => undefined)),
  consume: () => ({ [Symbol.asyncDispose]: () => Promise.resolve() }),
  readProgress: () => Promise.resolve(undefined),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Account in a real Redis with settled calls, which are also in the books. */
export interface AccountToVerify extends AsyncDisposable {
  /** Verifies the account as `gatectl ledger verify` does. Throws if it is invalid. */
  verify(): Promise<void>;
  /** Number of calls per second that the books recorded. */
  readonly recordedPerSecond: number;
}

export async function makeAccountToVerify(books: Books, receipts: number): Promise<AccountToVerify> {
  const backends = await startLocalBackends();
  const redis = new Redis(backends.redisUrl, { enableAutoPipelining: true });
  await createAccount(redis, { id: accountId, balance: 10n ** 12n });
  let recordingMs = 0;
  for (let from = 0; from < receipts; from += batchSize) {
    const count = Math.min(batchSize, receipts - from);
    const entries = await Promise.all(Array.from({ length: count }, (_, at) => settleCall(redis, from + at)));
    await publishEntries(redis, bus, entries);
    const startedAt = performance.now();
    await recordCalls(
      books,
      entries.map(({ event }) => event),
    );
    recordingMs += performance.now() - startedAt;
  }
  return {
    recordedPerSecond: receipts / (recordingMs / 1_000),
    async verify() {
      const readEntries = (from: number) => readReceipts(books, accountId, from);
      const found = await verifyAccount(redis, accountId, {
        createdAt: "",
        anchors: [],
        wasReplaced: (hash) => wasReplaced(books, accountId, hash),
        storedFrom: 0,
        waitMs: 0,
        readEntries,
      });
      if (found?.ok !== true) throw new Error(`the receipts are not valid: ${JSON.stringify(found?.divergence)}`);
      const difference = await verifyTotals(books, accountId);
      if (difference !== undefined) throw new Error(difference);
    },
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await backends[Symbol.asyncDispose]();
    },
  };
}

async function settleCall(
  redis: Redis,
  number: number,
): Promise<{ shard: string; entryId: string; event: UsageEvent }> {
  const callId = `call_${number}`;
  const draft = {
    ...testUsageDraft(accountId, callId),
    time: new Date().toISOString(),
    requestId: `req_many_${number}`,
    model: `model-${number % 10}`,
    units: { inputTokens: 800, outputTokens: 200, requests: 1 },
  };
  const call = { accountId, callId, tokenId: draft.tokenId, tokens: 0, draft };
  await hold(redis, { ...call, nanos: 2n, floorNanos: 0n, leaseMs: 600_000, outboxBound: 1_000_000 });
  const entry = await settle(redis, { ...call, costNanos: 1n });
  if (entry === undefined) throw new Error("a call was not settled");
  return entry;
}
