import { afterAll, beforeAll, expect, test } from "vitest";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { openCreatedIds } from "../../src/vendor-stores/created-ids.ts";

const { log } = createLogger("test", "silent");
let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, log);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

test("the record of a created object belongs to its account, and each use renews it", async () => {
  const file = { store: "file", id: "file-1" } as const;
  openCreatedIds({ redis, log, lifetimeMs: 60_000 }).store("acme", [file], "vendor/k");
  const later = openCreatedIds({ redis, log, lifetimeMs: 3_600_000 });
  expect(await later.find("other", [file])).toEqual([undefined]);
  const [name = ""] = await redis.keys("made:*:acme:file:file-1");
  expect(await redis.pttl(name)).toBeLessThanOrEqual(60_000);
  expect(await later.find("acme", [{ store: "file", id: "file-2" }, file])).toEqual([undefined, "vendor/k"]);
  expect(await redis.pttl(name)).toBeGreaterThan(60_000);
});
