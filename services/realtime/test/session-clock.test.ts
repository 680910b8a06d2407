import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SessionClock } from "../src/session-clock.ts";

const limits = { idleMs: 60_000, longestMs: 3_600_000, firstEventMs: 1_000 };
const silenceMs = 5_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const after = (ms: number): void => void vi.advanceTimersByTime(ms);

test("a silent session ends, and so does one that exceeds its maximum duration", () => {
  const clock = new SessionClock(limits, silenceMs);
  after(50_000);
  clock.noteClientMessage();
  after(60_000);
  expect(clock.expiryFailure(Date.now())).toBeUndefined();
  after(1);
  expect(clock.expiryFailure(Date.now())?.message).toContain("silent for 60 s");
  clock.noteVendorMessage();
  expect(clock.expiryFailure(Date.now())).toBeUndefined();
  expect(clock.expiryFailure(clock.startedAt + 3_600_001)?.message).toContain("lasts at most 3600 s");
});

test("a vendor that has sent nothing must answer the first message in time", () => {
  const clock = new SessionClock(limits, silenceMs);
  after(10_000);
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  clock.noteOutstanding({ isOutstanding: false, isSent: true });
  after(900);
  clock.noteOutstanding({ isOutstanding: false, isSent: false });
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  after(101);
  expect(clock.isVendorSilent(Date.now())).toBe(true);
});

test("a vendor's silence is counted from the request, or from its last message", () => {
  const clock = new SessionClock(limits, silenceMs);
  clock.noteVendorMessage();
  clock.noteOutstanding({ isOutstanding: false, isSent: false });
  // The client has requested nothing for a long time.
  after(50_000);
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  clock.noteOutstanding({ isOutstanding: true, isSent: true });
  after(4_000);
  // Further messages of the client do not restart the vendor's time.
  clock.noteOutstanding({ isOutstanding: true, isSent: true });
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  after(1_001);
  expect(clock.isVendorSilent(Date.now())).toBe(true);
  clock.noteVendorMessage();
  clock.noteOutstanding({ isOutstanding: true, isSent: false });
  after(4_999);
  expect(clock.isVendorSilent(Date.now())).toBe(false);
  clock.noteOutstanding({ isOutstanding: false, isSent: false });
  after(50_000);
  expect(clock.isVendorSilent(Date.now())).toBe(false);
});
