import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFirstByteTimes, readTasks, readTotals, recordCalls, recordTasks, type Books } from "../src/index.ts";
import { callOf, engines, newBooks, type TestEngine } from "./engines.ts";

const day = { from: Date.parse("2026-01-10"), to: Date.parse("2026-01-11") };

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  let books: Books;
  beforeAll(async () => {
    engine = await start();
    books = await newBooks(engine);
  });
  afterAll(async () => {
    await books?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  test("the times to the first byte of all completed calls, within 5 %", async () => {
    const calls = Array.from({ length: 100 }, (_, at) =>
      callOf(`c${at}`, { firstByteMs: (at + 1) * 10, channelId: at < 50 ? "near" : "far" }),
    );
    const failed = callOf("failed", { firstByteMs: 90_000, outcome: "failed" });
    await recordCalls(books, calls.slice(0, 60));
    await recordCalls(books, [...calls.slice(50), failed]); // ten again
    const [all] = await readFirstByteTimes(books, { ...day, by: [] });
    expect(all?.calls).toBe(100);
    expect(Math.abs((all?.p50 ?? 0) - 500)).toBeLessThan(25);
    expect(Math.abs((all?.p95 ?? 0) - 950)).toBeLessThan(48);
    const byChannel = await readFirstByteTimes(books, { ...day, by: ["channel", "hour"] });
    expect(byChannel.map(({ by, calls: counted }) => ({ ...by, counted }))).toEqual([
      { channel: "far", hour: "2026-01-10T10:00:00.000Z", counted: 50 },
      { channel: "near", hour: "2026-01-10T10:00:00.000Z", counted: 50 },
    ]);
    expect(await readFirstByteTimes(books, { ...day, account: "other", by: [] })).toEqual([]);
  });

  test("tasks, the last changed first, page by page", async () => {
    const task = (taskId: string, minute: number, state: "queued" | "completed") => ({
      id: `${taskId}.${state}`,
      time: `2026-01-10T10:0${minute}:00.000Z`,
      taskId,
      accountId: "acme",
      tokenId: "t",
      model: "film",
      channelId: "main",
      state,
      previousState: null,
      progress: 0,
    });
    await recordTasks(books, [task("a", 1, "queued"), task("b", 2, "queued"), task("a", 3, "completed")]);
    const first = await readTasks(books, {}, { limit: 1 });
    const second = await readTasks(books, {}, { limit: 1, after: first.next });
    expect([first, second].map(({ tasks }) => tasks.map(({ taskId, state }) => [taskId, state]))).toEqual([
      [["a", "completed"]],
      [["b", "queued"]],
    ]);
    expect((await readTasks(books, { state: "queued" }, { limit: 10 })).tasks).toHaveLength(1);
    expect((await readTasks(books, { account: "other" }, { limit: 10 })).tasks).toEqual([]);
  });

  test("complete days are read from counts by day, the remaining hours from counts by hour", async () => {
    const emptyBooks = await newBooks(engine);
    const callAt = (time: string, accountId: string, firstByteMs: number) =>
      callOf(`${time} ${accountId}`, { time: `2026-01-${time}:00:00.000Z`, accountId, firstByteMs });
    await recordCalls(emptyBooks, [
      callAt("09T23", "acme", 100),
      callAt("10T00", "acme", 200),
      callAt("10T23", "other", 300),
      callAt("11T00", "acme", 400),
      callAt("11T05", "acme", 9_000),
    ]);
    const period = { from: Date.parse("2026-01-09T22:00:00Z"), to: Date.parse("2026-01-11T01:00:00Z") };
    const counts = async (by: readonly ("model" | "day" | "hour")[], more: object = {}) =>
      (await readFirstByteTimes(emptyBooks, { ...period, ...more, by })).map(({ by: group, calls }) => [
        group["day"],
        calls,
      ]);
    expect(await counts([])).toEqual([[undefined, 4]]);
    expect(await counts(["day"])).toEqual([
      ["2026-01-09", 1],
      ["2026-01-10", 2],
      ["2026-01-11", 1],
    ]);
    expect(await counts(["hour"])).toHaveLength(4);
    expect(await counts([], { account: "other" })).toEqual([[undefined, 1]]);
    const [all] = await readFirstByteTimes(emptyBooks, { ...period, by: [] });
    expect(Math.abs((all?.p50 ?? 0) - 200)).toBeLessThan(11);
    await emptyBooks[Symbol.asyncDispose]();
  });

  test("times by a tag's values include all calls that have it", async () => {
    await using tags = await newBooks(engine);
    const tagged = (id: string, firstByteMs: number, tags: Record<string, string>, more: object = {}) =>
      callOf(id, { firstByteMs, tags, endUser: "ann", units: { inputTokens: 7 }, costNanos: "5", ...more });
    await recordCalls(tags, [
      tagged("one", 100, { team: "a", feature: "chat" }),
      tagged("two", 900, { team: "a" }, { accountId: "other" }),
      tagged("three", 300, { team: "b" }, { time: "2026-01-11T10:00:00.000Z" }),
      tagged("four", 9_000, { team: "b" }, { outcome: "failed" }),
      callOf("plain", { firstByteMs: 50 }),
    ]);
    const days = { ...day, to: day.to + 86_400_000 };
    const counted = await readFirstByteTimes(tags, { ...days, by: ["tag:team"] });
    expect(counted.map(({ by, calls }) => [by["tag:team"], calls])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
    expect(Math.abs((counted[0]?.p95 ?? 0) - 900)).toBeLessThan(46);
    const byDay = await readFirstByteTimes(tags, { ...days, by: ["tag:team", "day"] });
    expect(byDay.map(({ by }) => by)).toEqual([
      { "tag:team": "a", day: "2026-01-10" },
      { "tag:team": "b", day: "2026-01-11" },
    ]);
    const totals = await readTotals(tags, { ...days, groupBy: ["tag:team", "outcome"] });
    expect(totals).toContainEqual({
      by: { "tag:team": "a", outcome: "completed" },
      sums: { calls: "2", costNanos: "10", inputTokens: "14" },
    });
  });
});
