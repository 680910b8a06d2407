import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runOnSharedTick, msUntilSharedTick } from "../src/shared-tick.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

test("a pause until the next beat is never much shorter or longer than requested", () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 100_000 }), fc.integer({ min: 0, max: 100_000 }), (ms, passed) => {
      vi.advanceTimersByTime(passed);
      const pause = msUntilSharedTick(ms);
      expect(pause).toBeGreaterThanOrEqual(ms / 4);
      expect(pause).toBeLessThanOrEqual(Math.ceil(ms * 1.25));
      expect((performance.now() + pause) % ms).toBeLessThan(1);
    }),
  );
});

test("all subscribers of the same beat run together, and not after they are disposed", () => {
  const calls: string[] = [];
  const record = (name: string) => (): void => void calls.push(`${name} at ${Math.floor(performance.now() / 100)}`);
  const first = runOnSharedTick(100, record("first"));
  vi.advanceTimersByTime(30);
  const second = runOnSharedTick(100, record("second"));
  vi.advanceTimersByTime(170 - (performance.now() % 100));
  const [one, two] = calls.slice(-2);
  expect(one?.replace("first", "second")).toBe(two);
  first[Symbol.dispose]();
  second[Symbol.dispose]();
  const callCount = calls.length;
  vi.advanceTimersByTime(1_000);
  expect(calls.length).toBe(callCount);
});
