import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shards } from "@modelgate/accounts";
import { openBooks, type Books } from "@modelgate/books";
import { createLogger } from "@modelgate/platform";
import { startBackends, type Backends } from "@modelgate/testkit";
import { AccountModel } from "./account-model.ts";

/** MODELGATE_SEED=… replays the one life that a failing run named. */
const replay = process.env["MODELGATE_SEED"];
/** Lives of one run (MODELGATE_LIVES asks for more) and steps of one life: each life is an interleaving of its own. */
const lives = replay === undefined ? Number(process.env["MODELGATE_LIVES"] ?? 1_024) : 1;
const steps = 40;
const firstSeed = replay === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(replay);

let backends: Backends;
let redis: readonly Redis[] = [];
let books: Books;
const { log } = createLogger("ledger", "silent");
beforeAll(async () => {
  books = await openBooks({ file: ":memory:" }, log);
  backends = await startBackends();
  redis = Array.from({ length: 3 }, () => new Redis(backends.redisUrl, { enableAutoPipelining: true }));
});
afterAll(async () => {
  for (const connection of redis) connection.disconnect();
  await books?.[Symbol.asyncDispose]();
  await backends?.[Symbol.asyncDispose]();
});

test("three edges, two ledgers, crashes, repetitions, reordering, late events and expired leases: the books agree", async () => {
  // A shard for each life, so that many can be lived at once without touching each other.
  for (let begun = 0; begun < lives; begun += shards.length) {
    const seeds = shards.slice(0, lives - begun).map((shard, at) => [firstSeed + begun + at, shard] as const);
    const ends = await Promise.allSettled(
      seeds.map(([seed, shard]) => new AccountModel(seed, shard, redis, books, log).runSteps(steps)),
    );
    for (const [at, end] of ends.entries()) {
      if (end.status === "fulfilled") continue;
      const words = `a life went wrong; MODELGATE_SEED=${seeds[at]?.[0]} pnpm vitest --project @modelgate/ledger interleavings replays it`;
      expect.unreachable(`${words}\n${end.reason instanceof Error ? (end.reason.stack ?? "") : String(end.reason)}`);
    }
  }
}, 600_000);
