import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shards } from "@modelgate/accounts";
import { type Books } from "@modelgate/books";
import { createLogger } from "@modelgate/platform";
import { startBackends, type Backends } from "@modelgate/testkit";
import { AccountModel } from "./account-model.ts";
import { newBooks } from "./engines.ts";

/** Seed of a failed history, to repeat it (MODELGATE_REPLAY_SEED). */
const replay = process.env["MODELGATE_REPLAY_SEED"];
/** Number of random histories (MODELGATE_HISTORIES). By default, one per shard. */
const histories = replay === undefined ? Number(process.env["MODELGATE_HISTORIES"] ?? shards.length) : 1;
const steps = 40;
const firstSeed = replay === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(replay);

let backends: Backends;
let redis: readonly Redis[] = [];
let books: Books;
const { log } = createLogger("ledger", "silent");
beforeAll(async () => {
  books = await newBooks({ kind: "sqlite" });
  backends = await startBackends();
  redis = Array.from({ length: 3 }, () => new Redis(backends.redisUrl, { enableAutoPipelining: true }));
});
afterAll(async () => {
  for (const connection of redis) connection.disconnect();
  await books?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
});

test("three edges, two ledgers, crashes, repetitions, reordering, late events and expired leases: the books agree", async () => {
  // One shard per history, so that they can run concurrently.
  for (let first = 0; first < histories; first += shards.length) {
    const seeds = shards.slice(0, histories - first).map((shard, at) => [firstSeed + first + at, shard] as const);
    const ends = await Promise.allSettled(
      seeds.map(([seed, shard]) => new AccountModel(seed, shard, redis, books, log).runSteps(steps)),
    );
    for (const [at, end] of ends.entries()) {
      if (end.status === "fulfilled") continue;
      const message = `a history failed; MODELGATE_REPLAY_SEED=${seeds[at]?.[0]} pnpm vitest services/ledger/test/interleavings repeats it`;
      expect.unreachable(`${message}\n${end.reason instanceof Error ? (end.reason.stack ?? "") : String(end.reason)}`);
    }
  }
}, 600_000);
