import { once } from "node:events";
import { pino } from "pino";
import { expect, test } from "vitest";
import { startBackends } from "@modelgate/testkit";
import { openRedis } from "../src/index.ts";

test("a primary that has become a replica is disconnected, and the new primary is looked up", async () => {
  await using backends = await startBackends();
  const redis = await openRedis(backends.redisUrl, pino({ level: "silent" }));
  try {
    await redis.call("replicaof", "127.0.0.1", "1");
    const again = once(redis, "ready");
    await expect(redis.set("balance", "1")).rejects.toThrow("READONLY");
    await again;
    await redis.call("replicaof", "no", "one");
    expect(await redis.set("balance", "1")).toBe("OK");
  } finally {
    redis.disconnect();
  }
});
