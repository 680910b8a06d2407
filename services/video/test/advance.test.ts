import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { taskOf } from "./task.ts";
import { advance, isEnded, postpone, type PollMoment, type PollOutcome, type PollStep } from "../src/poll/advance.ts";

const pace = { firstMs: 5_000, longestMs: 30_000, usualMs: 120_000 };
const createdAt = 1_000_000;
const fresh = taskOf("acme", "video_1", createdAt);
const { deadlineAt } = fresh;
/** Time in ms after the deadline from which a task cannot be charged. */
const holdEndsMs = 3_540_000;
const momentAt = (afterMs: number, random = 0.5): PollMoment => ({ nowMs: createdAt + afterMs, random, pace });

const pollResult: fc.Arbitrary<PollOutcome> = fc.oneof(
  fc.constant({ kind: "unknown" as const }),
  fc.constant({ kind: "not-found" as const }),
  fc.constant({ kind: "unroutable" as const }),
  fc.record({
    kind: fc.constant("pending" as const),
    state: fc.constantFrom("queued" as const, "in_progress" as const),
    progress: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant("finished" as const), result: fc.record({ url: fc.webUrl() }) }),
  fc.constant({ kind: "failed" as const, error: { code: "c", message: "m" } }),
);
const polls = fc.array(
  fc.record({
    pollResult,
    afterMs: fc.nat({ max: 20_000_000 }),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  }),
  { maxLength: 40 },
);
const rank = { queued: 0, in_progress: 1, completed: 2, failed: 2 } as const;

function stepsOf(
  pollResults: readonly { pollResult: PollOutcome; afterMs: number; random: number }[],
): readonly (PollStep & { nowMs: number })[] {
  let task = fresh;
  let nowMs = createdAt;
  const steps: (PollStep & { nowMs: number })[] = [];
  for (const { pollResult, afterMs, random } of pollResults) {
    nowMs += afterMs;
    const step = advance(task, pollResult, { nowMs, random, pace });
    if (step === undefined) continue;
    steps.push({ ...step, nowMs });
    ({ task } = step);
  }
  return steps;
}

describe("in any sequence of polls", () => {
  test("its state only advances, its progress never decreases, and it ends once", () => {
    fc.assert(
      fc.property(polls, (drawnPolls) => {
        let before = fresh;
        for (const { task } of stepsOf(drawnPolls)) {
          expect(isEnded(before.state)).toBe(false);
          expect(rank[task.state]).toBeGreaterThanOrEqual(rank[before.state]);
          expect(task.progress).toBeGreaterThanOrEqual(before.progress);
          expect(Number.isInteger(task.progress)).toBe(true);
          expect(task.progress === 100).toBe(task.state === "completed");
          before = task;
        }
      }),
    );
  });

  test("a task is polled until it has ended, later than now and never after its deadline", () => {
    fc.assert(
      fc.property(polls, (drawnPolls) => {
        for (const { task, nextPollAt, nowMs } of stepsOf(drawnPolls)) {
          expect(nextPollAt === undefined).toBe(isEnded(task.state));
          if (nextPollAt === undefined) continue;
          expect(nextPollAt).toBeGreaterThan(nowMs);
          expect(nextPollAt).toBeLessThanOrEqual(deadlineAt);
        }
      }),
    );
  });

  test("a task ends once its deadline has passed: it fails, unless the vendor has finished it and it can be charged", () => {
    const ends: Readonly<Record<string, object>> = {
      finished: { state: "completed" },
      failed: { state: "failed", error: { code: "c" } },
    };
    const timeout = { state: "failed", error: { code: "timeout" } };
    fc.assert(
      fc.property(pollResult, fc.nat({ max: holdEndsMs - 1 }), (drawnResult, late) => {
        const step = advance(fresh, drawnResult, momentAt(86_400_000 + late));
        expect(step?.task).toMatchObject(ends[drawnResult.kind] ?? timeout);
        expect(advance(fresh, drawnResult, momentAt(86_400_000 + holdEndsMs + late))?.task).toMatchObject(timeout);
      }),
    );
  });

  test("an end has its data, and nothing else ends a task", () => {
    fc.assert(
      fc.property(polls, (drawnPolls) => {
        for (const { task } of stepsOf(drawnPolls)) {
          expect(task.endedAt !== undefined).toBe(isEnded(task.state));
          expect(task.result !== undefined).toBe(task.state === "completed");
          expect(task.error !== undefined).toBe(task.state === "failed");
        }
      }),
    );
  });
});

test.each([
  ["until its deadline", 86_399_000, 86_400_000],
  ["also after its deadline", 86_400_000, 86_405_000],
  ["while it can be charged", 86_399_999 + holdEndsMs, 86_404_999 + holdEndsMs],
])("a due task that cannot be polled now is postponed %s", (_, nowMs, dueMs) => {
  expect(postpone(fresh, momentAt(nowMs))).toEqual({ task: fresh, nextPollAt: createdAt + dueMs });
});

test("a due task that cannot be polled and can no longer be charged fails", () => {
  const endedAt = deadlineAt + holdEndsMs;
  expect(postpone(fresh, momentAt(86_400_000 + holdEndsMs))).toEqual({
    task: { ...fresh, state: "failed", endedAt, error: { code: "timeout", message: expect.any(String) } },
  });
});

describe("a poll without a result", () => {
  test("changes nothing, and the interval to the next poll grows", () => {
    const pauses: number[] = [];
    let task = fresh;
    for (let miss = 0; miss < 12; miss++) {
      const step = advance(task, { kind: "unknown" }, momentAt(0));
      expect(step?.task).toEqual({ ...fresh, polls: miss + 1, misses: miss + 1 });
      task = step?.task ?? task;
      pauses.push((step?.nextPollAt ?? 0) - createdAt);
    }
    expect(pauses).toEqual(pauses.toSorted((left, right) => left - right));
    expect(pauses[0]).toBe(10_000);
    expect(pauses.at(-1)).toBe(240_000);
  });

  test("is not a failure while the configuration briefly lacks its channel, but is one after an hour", () => {
    const lacking = (misses: number) =>
      advance({ ...fresh, misses }, { kind: "unroutable" }, momentAt(3_600_000))?.task;
    expect(lacking(19)).toMatchObject({ state: "queued", misses: 20 });
    expect(lacking(20)).toMatchObject({ state: "failed", error: { code: "channel_removed" } });
  });

  test("is not a failure while the vendor does not know the task yet, but is one after a minute", () => {
    expect(advance(fresh, { kind: "not-found" }, momentAt(59_999))?.task.state).toBe("queued");
    expect(advance(fresh, { kind: "not-found" }, momentAt(60_000))?.task).toMatchObject({
      state: "failed",
      error: { code: "not_found" },
    });
  });
});

test("an open task is polled after 5 s, then at growing intervals up to 30 s, with 20 % jitter", () => {
  const pauseAfter = (polls: number, random: number) =>
    (advance({ ...fresh, polls }, { kind: "pending", state: "queued" }, momentAt(0, random))?.nextPollAt ?? 0) -
    createdAt;
  expect([0, 1, 2, 3, 4, 5, 50].map((polls) => pauseAfter(polls, 0.5))).toEqual([
    5_000, 7_500, 11_250, 16_875, 25_313, 30_000, 30_000,
  ]);
  expect([pauseAfter(0, 0), pauseAfter(0, 1)]).toEqual([4_000, 6_000]);
});

test("progress is the vendor's, or else estimated from the usual duration, up to 95", () => {
  const progressAt = (afterMs: number, progress?: number) =>
    advance(
      { ...fresh, state: "in_progress", startedAt: createdAt },
      { kind: "pending", state: "in_progress", progress },
      momentAt(afterMs),
    )?.task.progress;
  expect([0, 60_000, 120_000, 900_000].map((afterMs) => progressAt(afterMs))).toEqual([0, 47, 95, 95]);
  expect([progressAt(900_000, 12), progressAt(0, 100)]).toEqual([12, 99]);
  expect(advance(fresh, { kind: "pending", state: "queued" }, momentAt(900_000))?.task.progress).toBe(0);
});

test("a video's address is stored with its expiry at the vendor", () => {
  const result = (videoResult: Extract<PollOutcome, { kind: "finished" }>["result"]) =>
    JSON.parse(advance(fresh, { kind: "finished", result: videoResult }, momentAt(1_000))?.task.result ?? "");
  expect(result({ url: "https://v.example/1", keptMs: 3_600_000 })).toEqual({
    url: "https://v.example/1",
    expiresAt: createdAt + 3_601_000,
  });
  expect(result({ expiresAt: 7 })).toEqual({ expiresAt: 7 });
});
