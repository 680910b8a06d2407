import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SessionClock } from "../src/session-clock.ts";

const limits = { idleMs: 60_000, longestMs: 3_600_000, firstEventMs: 1_000 };
const silenceMs = 5_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number): void => void vi.advanceTimersByTime(ms);

test("a session that nobody speaks in is over, and one that lasts too long", () => {
  const clock = new SessionClock(limits, silenceMs);
  after(50_000);
  clock.clientSpoke();
  after(60_000);
  expect(clock.expired(Date.now())).toBeUndefined();
  after(1);
  expect(clock.expired(Date.now())?.message).toContain("silent for 60 s");
  clock.vendorSpoke();
  expect(clock.expired(Date.now())).toBeUndefined();
  expect(clock.expired(clock.startedAt + 3_600_001)?.message).toContain("lasts at most 3600 s");
});

test("a vendor that has never spoken owes its first word to whatever it was told", () => {
  const clock = new SessionClock(limits, silenceMs);
  after(10_000);
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  clock.expects({ owed: false, told: true });
  after(900);
  clock.expects({ owed: false, told: false });
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  after(101);
  expect(clock.isVendorSilent(Date.now())).toBe(true);
});

test("a vendor that owes an answer is silent from when it was asked, or from its last word", () => {
  const clock = new SessionClock(limits, silenceMs);
  clock.vendorSpoke();
  clock.expects({ owed: false, told: false });
  // Nobody has asked it anything for long.
  after(50_000);
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  clock.expects({ owed: true, told: true });
  after(4_000);
  // Others of the client's messages are no sign of the vendor's.
  clock.expects({ owed: true, told: true });
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  after(1_001);
  expect(clock.isVendorSilent(Date.now())).toBe(true);
  clock.vendorSpoke();
  clock.expects({ owed: true, told: false });
  after(4_999);
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  clock.expects({ owed: false, told: false });
  after(50_000);
  expect(clock.isVendorSilent(Date.now())).toBe(false);
});
