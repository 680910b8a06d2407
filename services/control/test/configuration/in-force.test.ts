import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { publishConfiguration, publishedVersion } from "@modelgate/catalog";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";
import { ActiveConfiguration } from "../../src/configuration/in-force.ts";
import { parseConfiguration } from "../../src/configuration/read.ts";

const { log } = createLogger("test", "silent");
const secrets = ["a-secret-of-this-test-alone"] as const;
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

test("what an older control published of a change is replaced soon after it, and not later", async () => {
  const text = `groups: {}\nmodels: {}\nchannels: []\n`;
  const active = await ActiveConfiguration.open(
    {
      environment: {},
      redis,
      declared: { declare: async () => undefined },
      vendorLists: { complete: async (channels) => ({ channels, lists: new Map() }) },
      secrets,
      log,
    },
    { name: "test", mustBeValid: true, read: async () => ({ text, ...parseConfiguration(text) }) },
  );
  const { version } = active.status;
  const publishOther = () =>
    publishConfiguration(redis, { groups: { other: { models: ["*"] } }, models: {} }, [], secrets);
  expect(await publishOther()).not.toBe(version);
  await active.refresh(false);
  expect(await publishedVersion(redis)).toBe(version);
  const other = await publishOther();
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 60_000);
  await active.refresh(false);
  expect(await publishedVersion(redis)).toBe(other);
});
