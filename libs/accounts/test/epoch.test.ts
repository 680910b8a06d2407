import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openRedis, createLogger, readServerState, type Redis } from "@modelgate/platform";
import { startLocalBackends, until, type LocalBackends } from "@modelgate/testkit";
import { readUnlessLost, writeEpoch, writeCompleteRuns } from "../src/index.ts";

let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = await openRedis(backends.redisUrl, createLogger("test", "silent").log);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

test("a read that finds nothing directly after a restart of Redis is refused with 503", async () => {
  // The clock does not advance, so the cached check of Redis' run is used.
  vi.spyOn(performance, "now").mockReturnValue(1_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await writeEpoch(redis, "the test's books");
  await writeCompleteRuns(redis, (await readServerState(redis)).runs);
  const find = () =>
    readUnlessLost(
      redis,
      () => redis.get("absent"),
      (found) => found === null,
    );
  expect(await find()).toBeNull();
  await backends.redis.kill();
  await backends.redis.start();
  await until("Redis to answer", () => redis.ping().catch(() => false));
  await writeEpoch(redis, "the test's books");
  await expect(find()).rejects.toMatchObject({ code: "server_overloaded" });
});
