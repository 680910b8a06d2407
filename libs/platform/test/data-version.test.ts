import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBackends, type Backends } from "@modelgate/testkit";
import { dataVersion, refuseNewerData } from "../src/process/stores.ts";
import { createLogger, SharedParts, sharedRedis, StartError } from "../src/index.ts";

let backends: Backends;
let redis: Redis;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

test("a version starts with data of its version and of an earlier one, and refuses newer data with one line", async () => {
  await refuseNewerData(redis, dataVersion);
  await refuseNewerData(redis, dataVersion + 1);
  await using shared = new SharedParts(createLogger("test", "silent").log);
  const start = sharedRedis(shared, { redis: { url: backends.redisUrl, timeoutMs: 1_000 } });
  await expect(start).rejects.toThrow(StartError);
  await expect(start).rejects.toThrow(
    new RegExp(
      `^Redis holds data of a newer version: its format is ${dataVersion + 1}, and this version supports ${dataVersion}\\.[^\\n]*$`,
    ),
  );
  await refuseNewerData(redis, dataVersion + 1);
});
