import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Group } from "@modelgate/catalog";
import { verifyCaller } from "@modelgate/platform";
import { SharedCallers } from "../src/shared-callers.ts";
import { token } from "./steps/call.ts";

const secret = "a secret of some length";
const group: Group = {
  name: "all",
  models: new Set(["*"]),
  limits: {},
  multiplier: 1,
  vendorStores: "refuse",
  unpriced: "refuse",
  showChannel: false,
};

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

test("calls of a key share a signed header for ten seconds, and each header is valid for a minute", () => {
  const callers = new SharedCallers(secret);
  const first = callers.sign(callers.callerOf(token, group));
  vi.setSystemTime(1_009_999);
  expect(callers.sign(callers.callerOf(token, group))).toBe(first);
  vi.setSystemTime(1_010_000);
  const next = callers.sign(callers.callerOf(token, group));
  expect(verifyCaller([secret], first, 1_060).expiresAt).toBe(1_060);
  expect(verifyCaller([secret], next, 1_070).expiresAt).toBe(1_070);
  expect(() => verifyCaller([secret], first, 1_061)).toThrow("expired");
});

test.each([
  ["the record of the key", { ...token, team: "search" }, group, { team: "search" }],
  ["its group", token, { ...group, limits: { tokensPerMinute: 5 } }, { tokensPerMinute: 5 }],
])("a change of %s applies to the next call", (_, changedToken, changedGroup, expected) => {
  const callers = new SharedCallers(secret);
  callers.callerOf(token, group);
  expect(callers.callerOf(changedToken, changedGroup)).toMatchObject(expected);
});

test("details of one call are signed with that call only", () => {
  const callers = new SharedCallers(secret);
  const caller = callers.callerOf(token, group);
  const tagged = callers.sign({ ...caller, tags: { job: "a" } });
  expect(verifyCaller([secret], tagged, 1_000).tags).toEqual({ job: "a" });
  expect(verifyCaller([secret], callers.sign(caller), 1_000).tags).toBeUndefined();
});
