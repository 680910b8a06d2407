import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RefusedCall } from "@modelgate/contracts";
import { deleteOldRefusals, readRefused, recordRefused, type CountedRefusal } from "../src/index.ts";
import { engines, newBooks, type TestEngine } from "./engines.ts";

const day = { from: Date.parse("2026-01-10"), to: Date.parse("2026-01-11") };

/** Returns a refused call. `more` replaces default members. */
function refusal(id: string, more: Partial<RefusedCall> = {}, calls = 1): CountedRefusal {
  const call = {
    id,
    time: "2026-01-10T10:00:00.000Z",
    requestId: `req_${id}`,
    accountId: "acme",
    tokenId: "tok_1",
    endpoint: "POST /v1/chat/completions",
    status: 404,
    code: "model_not_found",
    ...more,
  };
  return { call, calls };
}

/** Returns the time `at` seconds after the beginning of an hour. */
function second(at: number, hour = "10"): string {
  return new Date(Date.parse(`2026-01-10T${hour}:00:00.000Z`) + at * 1_000).toISOString();
}

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  test("refused calls are read by every filter, newest first, page by page", async () => {
    await using books = await newBooks(engine);
    const first = refusal("a", { param: "model", model: "gpt-x" });
    const second = refusal("b", { time: "2026-01-10T11:00:00.000Z", status: 402, tokenId: "tok_2" });
    const other = refusal("c", { time: "2026-01-10T12:00:00.000Z", accountId: "other" });
    await recordRefused(books, [first, second, other]);
    const readWith = async (filter: object) =>
      (await readRefused(books, { ...day, ...filter }, { limit: 10 })).refusals;
    expect(await readWith({})).toEqual([other, second, first]);
    expect(await readWith({ account: "acme" })).toEqual([second, first]);
    expect(await readWith({ account: "acme", requestId: "req_c" })).toEqual([]);
    expect(await readWith({ requestId: "req_a" })).toEqual([first]);
    expect(await readWith({ token: "tok_2" })).toEqual([second]);
    expect(await readWith({ model: "gpt-x" })).toEqual([first]);
    expect(await readWith({ status: 402 })).toEqual([second]);
    expect(await readWith({ from: day.to, to: day.to + 1 })).toEqual([]);
    const page = await readRefused(books, day, { limit: 2 });
    expect(page.refusals).toEqual([other, second]);
    expect(await readRefused(books, day, { limit: 2, after: page.next })).toEqual({ refusals: [first] });
  });

  test("an account's rows per hour are limited, and every refusal is counted, in any batch", async () => {
    await using books = await newBooks(engine);
    const count = 1_234;
    for (let at = 0; at < 105; at++) await recordRefused(books, [refusal(`one-${at}`, { time: second(at) })]);
    const rest = Array.from({ length: count - 105 }, (_, at) => refusal(`many-${at}`, { time: second(300 + at) }));
    await recordRefused(books, rest);
    await recordRefused(books, [refusal("also", { time: second(3_000) }, 100_000)]);
    await recordRefused(books, [refusal("next hour", { time: second(0, "11") })]);
    await recordRefused(books, [refusal("of another", { accountId: "other" })]);
    const { refusals } = await readRefused(books, { ...day, account: "acme" }, { limit: 1_000 });
    const hour = refusals.filter(({ call }) => call.id !== "next hour");
    expect(hour.reduce((sum, { calls }) => sum + calls, 0)).toBe(count + 100_000);
    // Stored rows: 100 for the first 100 calls, 90 for those up to the 1,000th, 2 for the others, 1 for the 100,000.
    expect(hour).toHaveLength(100 + 90 + 2 + 1);
    expect(hour.filter(({ calls }) => calls === 1)).toHaveLength(99);
    expect(refusals).toHaveLength(hour.length + 1);
  });

  test("calls older than a time are removed, and a call without a time is not recorded", async () => {
    await using books = await newBooks(engine);
    const old = Array.from({ length: 30 }, (_, at) => refusal(`old-${at}`));
    await recordRefused(books, [...old, refusal("no time", { time: "yesterday" })]);
    await recordRefused(books, [refusal("new", { time: "2026-01-10T11:00:00.000Z" })]);
    await recordRefused(books, []);
    await deleteOldRefusals(books, Date.parse("2026-01-10T11:00:00.000Z"));
    const { refusals } = await readRefused(books, day, { limit: 100 });
    expect(refusals.map(({ call }) => call.id)).toEqual(["new"]);
  });
});
