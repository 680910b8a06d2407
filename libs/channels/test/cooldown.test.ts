import { expect, test } from "vitest";
import { applyShared } from "../src/follow-states.ts";
import { isCoolingDown, nextCooldown, type CooldownCause } from "../src/shared-cooldowns.ts";
import { parseCooldown, type Cooldown } from "../src/state.ts";

const cause = (more: Partial<CooldownCause> = {}): CooldownCause => ({
  kind: "failing",
  reason: "upstream_error",
  earlierCooldowns: 0,
  ...more,
});

function cooldownLengths(count: number, more: Partial<CooldownCause> = {}): readonly number[] {
  const cooldowns: Cooldown[] = [];
  for (let at = 0; at < count; at++) {
    const cooldown = nextCooldown(
      cooldowns.at(-1),
      cause({ ...more, earlierCooldowns: cooldowns.length }),
      at * 10_000_000,
    );
    if (cooldown !== undefined) cooldowns.push(cooldown);
  }
  return cooldowns.map(({ until, since }) => until - Date.parse(since));
}

test("a scope that fails again after each cooldown gets one of twice the length, up to a maximum", () => {
  expect(cooldownLengths(4)).toEqual([5_000, 10_000, 20_000, 40_000]);
  expect(cooldownLengths(60).at(-1)).toBe(300_000);
});

test("a refused key is retried after cooldowns that grow up to an hour", () => {
  expect(cooldownLengths(4, { kind: "refused" })).toEqual([60_000, 120_000, 240_000, 480_000]);
  expect(cooldownLengths(60, { kind: "refused" }).at(-1)).toBe(3_600_000);
});

test("failures of calls that were already open start no second cooldown", () => {
  const first = nextCooldown(undefined, cause(), 0);
  expect(nextCooldown(first, cause({ earlierCooldowns: 1 }), 4_999)).toBeUndefined();
  expect(nextCooldown(first, cause({ earlierCooldowns: 1 }), 5_000)).toMatchObject({
    until: 15_000,
    consecutiveCooldowns: 2,
  });
});

test("a vendor's retry-after is used unchanged, is never shortened, and may be extended", () => {
  const throttled = nextCooldown(undefined, cause({ kind: "throttled", retryAfterMs: 30_000 }), 0);
  expect(throttled).toMatchObject({ until: 30_000, consecutiveCooldowns: 1 });
  expect(nextCooldown(throttled, cause({ retryAfterMs: 10_000, earlierCooldowns: 1 }), 1_000)).toBeUndefined();
  expect(nextCooldown(throttled, cause({ earlierCooldowns: 1 }), 1_000)).toBeUndefined();
  expect(nextCooldown(throttled, cause({ retryAfterMs: 60_000, earlierCooldowns: 1 }), 1_000)).toMatchObject({
    until: 61_000,
    consecutiveCooldowns: 1,
  });
  expect([29_999, 30_000].map((now) => isCoolingDown(throttled, now))).toEqual([true, false]);
  expect(isCoolingDown(undefined, 0)).toBe(false);
});

test("a cooldown for one account names it", () => {
  expect(nextCooldown(undefined, cause({ account: "acme" }), 0)).toMatchObject({ account: "acme" });
  expect(nextCooldown(undefined, cause(), 0)).not.toHaveProperty("account");
});

test("a stored cooldown of an earlier version is read with the current names", () => {
  const times = { reason: "rate_limit_exceeded", since: "2026-11-01T10:00:00.000Z", until: 1 };
  const stored = JSON.stringify({ ...times, rests: 1, kind: "asked", said: "Slow down" });
  const current = { ...times, consecutiveCooldowns: 1 };
  expect(parseCooldown(stored)).toEqual({ ...current, kind: "throttled", vendorMessage: "Slow down" });
  const refused = { ...current, kind: "refused", vendorMessage: "No such key" };
  expect(parseCooldown(JSON.stringify(refused))).toEqual(refused);
});

test("a cooldown that began after the shared ones were read stays; an older one that is missing there has ended", () => {
  const begunAt = (ms: number): Cooldown => ({
    kind: "failing",
    reason: "upstream_error",
    since: new Date(ms).toISOString(),
    until: ms + 5_000,
    consecutiveCooldowns: 1,
  });
  const local = new Map([
    ["old", begunAt(1_000)],
    ["new", begunAt(2_001)],
  ]);
  const forgotten: string[] = [];
  applyShared(local, new Map([["other", begunAt(1_500)]]), {
    readAt: 2_000,
    onEnded: (name) => forgotten.push(name),
  });
  expect([...local.keys()]).toEqual(["new", "other"]);
  expect(forgotten).toEqual(["old"]);
});
