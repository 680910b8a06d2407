import { expect, test } from "vitest";
import { adjustEnv, withLimits } from "../src/limits/limits.ts";

const env = { relay: { limits: { leaseMs: 15_000, stepTokens: 2_048 } }, sessions: { idleMs: 1 }, url: "redis://here" };

test("limits of a service, and those of every relay, replace its values; the others are kept", () => {
  const limits = { relay: { limits: { leaseMs: 9 } }, text: { sessions: { idleMs: 2 } }, edge: { seatLeaseMs: 3 } };
  expect(adjustEnv("text", env, limits)).toEqual({
    relay: { limits: { leaseMs: 9, stepTokens: 2_048 } },
    sessions: { idleMs: 2 },
    url: "redis://here",
  });
  expect(adjustEnv("ledger", { rounds: { batch: 5 } }, limits)).toEqual({ rounds: { batch: 5 } });
  expect(env.relay.limits.leaseMs).toBe(15_000);
});

test.each([
  [{ text: { sessions: { idleMz: 2 } } }, "text.sessions.idleMz"],
  [{ text: { sessions: 2 } }, "text.sessions"],
  [{ text: { url: 2 } }, "text.url"],
  [{ text: { url: { port: 2 } } }, "text.url"],
])("%j does not name a limit, and is refused", (limits, path) => {
  expect(() => adjustEnv("text", env, limits)).toThrow(`limit ${path}, which does not exist`);
});

test("limits add up, and the later ones win", () => {
  const one = { text: { a: 1, b: 2 } };
  expect(withLimits(one, { text: { b: 3 }, edge: { c: 4 } })).toEqual({ text: { a: 1, b: 3 }, edge: { c: 4 } });
  expect(withLimits(one)).toEqual(one);
});
