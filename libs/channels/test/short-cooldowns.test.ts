import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import { startLocalRedis, until, type LocalRedis } from "@modelgate/testkit";
import { readShortCooldowns } from "../src/index.ts";
import { SharedCooldowns, type CooldownCause } from "../src/shared-cooldowns.ts";

const { log } = createLogger("test", "silent");
let server: LocalRedis;
let redis: Redis;
let cooldowns: SharedCooldowns;
beforeAll(async () => {
  server = await startLocalRedis();
  redis = await openRedis(server.url, log);
  cooldowns = await SharedCooldowns.open({ redis, log, onEnded: () => undefined });
});
afterAll(async () => {
  await cooldowns?.[Symbol.asyncDispose]();
  redis?.disconnect();
  await server?.[Symbol.asyncDispose]();
});

const failing: Omit<CooldownCause, "earlierCooldowns"> = { kind: "failing", reason: "upstream_error" };
const reportWorking = (scope: string) => cooldowns.reportAnswer(scope, undefined, Date.now() + 1);

/** Reads the numbers of the hours since a time. The hour may change during the test. */
async function countsSince(startMs: number): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (const hour of new Set([startMs, Date.now()].map((time) => Math.floor(time / 3_600_000))))
    for (const [scope, count] of await readShortCooldowns(redis, hour * 3_600_000))
      sums.set(scope, (sums.get(scope) ?? 0) + count);
  return sums;
}

test("cooldowns after failures are counted while they are short, once each", async () => {
  const startedMs = Date.now();
  cooldowns.begin("main", failing);
  cooldowns.begin("main", failing); // is in cooldown already
  cooldowns.begin("longer", { ...failing, retryAfterMs: 29_900 });
  cooldowns.begin("long", { ...failing, retryAfterMs: 30_000 });
  for (let at = 1; at <= 3; at++) {
    cooldowns.begin("flapping", { ...failing, retryAfterMs: 10 });
    await until("the cooldown to be counted", async () => (await countsSince(startedMs)).get("flapping") === at);
    reportWorking("flapping");
    cooldowns.reportSuccess(() => [["flapping", undefined]]);
    await until(
      "the next cooldown to be another one",
      async () => (await redis.exists("channels:short-cooldown:flapping")) === 0,
    );
  }
  cooldowns.begin("main/k1", { kind: "refused", reason: "401", retryAfterMs: 1_000 });
  cooldowns.begin("main#m", { kind: "throttled", reason: "429", retryAfterMs: 1_000 });
  cooldowns.begin("main#n", { ...failing, account: "acme" });
  cooldowns.begin("last", failing);
  await until("the last cooldown to be counted", async () => (await countsSince(startedMs)).has("last"));
  expect(Object.fromEntries(await countsSince(startedMs))).toEqual({ main: 1, longer: 1, flapping: 3, last: 1 });
  const key = `channels:short-cooldowns:${Math.floor(startedMs / 3_600_000)}`;
  expect(await redis.ttl(key)).toBeGreaterThan(3_600);
});

test("a cooldown that several replicas start at the same time is counted once", async () => {
  const startedMs = Date.now();
  const replicas = await Promise.all(
    Array.from({ length: 3 }, () => SharedCooldowns.open({ redis, log, onEnded: () => undefined })),
  );
  for (const replica of replicas) replica.begin("shared", failing);
  replicas[2]?.begin("later", failing); // in Redis after the cooldowns of all replicas
  await until("all cooldowns to be stored", async () => (await countsSince(startedMs)).has("later"));
  expect((await countsSince(startedMs)).get("shared")).toBe(1);
  for (const replica of replicas) await replica[Symbol.asyncDispose]();
});
