import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Child } from "../child.ts";
import { restartPauses, Restarts } from "../restarts.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Returns a process that ends when the test calls `end`. */
function child(name: string): Child & { end(status: number): void } {
  const { promise: ended, resolve: end } = Promise.withResolvers<number | string>();
  return {
    name,
    pid: 1,
    logs: () => "",
    ended,
    running: true,
    signal: () => undefined,
    stop: async () => undefined,
    end,
  };
}

test("pauses double up to a maximum, and start again after a stable period", () => {
  const pauseAfter = restartPauses();
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => pauseAfter(100))).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000,
  ]);
  expect([pauseAfter(60_000), pauseAfter(0)]).toEqual([500, 1_000]);
});

test("a service that exits is restarted after a pause, and each restart logs one line", async () => {
  const lines: string[] = [];
  const restarts = new Restarts((text) => lines.push(text));
  const started = [child("text"), child("text"), child("text")];
  let next = 1;
  restarts.follow(started[0] ?? child("text"), () => started[next++] ?? child("text"));
  started[0]?.end(137);
  await setImmediate();
  vi.advanceTimersByTime(499);
  expect(next).toBe(1);
  vi.advanceTimersByTime(1);
  expect(next).toBe(2);
  started[1]?.end(1);
  await setImmediate();
  restarts[Symbol.dispose]();
  vi.advanceTimersByTime(60_000);
  expect(next).toBe(2);
  expect(lines).toEqual([
    "text exited unexpectedly with 137: started again in 0.5 s\n",
    "text exited unexpectedly with 1: started again in 1 s\n",
  ]);
});

test("nothing is restarted after the suite ends", async () => {
  const lines: string[] = [];
  const restarts = new Restarts((text) => lines.push(text));
  const only = child("edge");
  restarts.follow(only, () => child("edge"));
  restarts[Symbol.dispose]();
  only.end(0);
  await setImmediate();
  expect(lines).toEqual([]);
});
