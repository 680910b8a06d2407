import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import { startLocalRedis, type LocalRedis } from "@modelgate/testkit";
import { followStates } from "../src/follow-states.ts";
import { readChannelStates, stateKeys, storeCooldown, switchChannel, type Cooldown } from "../src/state.ts";

const { log } = createLogger("test", "silent");
let server: LocalRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startLocalRedis();
  redis = await openRedis(server.url, log);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.[Symbol.asyncDispose]();
});

const throttled: Cooldown = {
  kind: "throttled",
  reason: "rate_limit_exceeded",
  since: "2026-11-01T10:00:00.000Z",
  until: 1,
  consecutiveCooldowns: 2,
};

test("a stored cooldown also has the names that the version before reads", async () => {
  await storeCooldown(redis, "main", throttled);
  expect(JSON.parse((await redis.hget(stateKeys.health, "main")) ?? "")).toMatchObject({ kind: "asked", rests: 2 });
  expect((await readChannelStates(redis)).cooldowns.get("main")).toMatchObject(throttled);
});

test("a cooldown of an unknown form is logged once, and hides no other state", async () => {
  await storeCooldown(redis, "main", throttled);
  await switchChannel(redis, "leaked/key-1", false, "leaked");
  await redis.hset(stateKeys.health, "other", JSON.stringify({ kind: "unknown" }));
  const warn = vi.spyOn(log, "warn");
  await using states = await followStates({ redis, log, onEnded: () => undefined });
  expect([...states.cooldowns.keys()]).toEqual(["main"]);
  expect([...states.switchedOff.keys()]).toEqual(["leaked/key-1"]);
  await switchChannel(redis, "another", false, "old"); // The states are read again.
  await expect.poll(() => [...states.switchedOff.keys()]).toContain("another");
  expect(warn.mock.calls).toEqual([[{ scope: "other" }, expect.stringContaining("cannot be read")]]);
});
