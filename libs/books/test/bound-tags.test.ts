import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTotals, recordCalls, type Books } from "../src/index.ts";
import { callOf, engines, newBooks, type TestEngine } from "./engines.ts";

/** Tables with rows that contain labels. */
const tablesOfLabels = ["call_labels", "labelled_totals", "daily_tag_totals", "daily_tag_first_bytes"] as const;
const day = { from: Date.parse("2026-01-10"), to: Date.parse("2026-01-11") };

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  async function rowsOf(books: Books): Promise<number> {
    let rows = 0;
    for (const table of tablesOfLabels) {
      const result = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(books.db);
      rows += result.rows[0]?.count ?? 0;
    }
    return rows;
  }

  test("a refused call that costs nothing adds no label", async () => {
    await using books = await newBooks(engine);
    const refused = { outcome: "failed", costNanos: "0", attempts: 0, status: 404 } as const;
    const named = (at: number) => ({
      tags: { [`name-${at}`]: `value-${at}`, team: `team-${at}` },
      endUser: `user-${at}`,
    });
    await recordCalls(
      books,
      Array.from({ length: 20 }, (_, at) => callOf(`refused-${at}`, { ...refused, ...named(at) })),
    );
    await recordCalls(books, [callOf("by its vendor", { ...refused, ...named(1), status: 400, attempts: 1 })]);
    expect(await rowsOf(books)).toBe(0);
    expect(await readTotals(books, { ...day, groupBy: ["tag:team"] })).toMatchObject([{ by: { "tag:team": "" } }]);
    await recordCalls(books, [callOf("failed", { ...refused, tags: { team: "b" }, status: 502, attempts: 2 })]);
    expect(await rowsOf(books)).toBe(0);
    // Failed calls with a cost and completed calls without one keep their tags.
    await recordCalls(books, [
      callOf("paid", { ...refused, tags: { team: "a" }, costNanos: "1" }),
      callOf("free", { tags: { team: "a" }, costNanos: "0" }),
    ]);
    expect(await readTotals(books, { ...day, groupBy: ["tag:team"] })).toContainEqual({
      by: { "tag:team": "a" },
      sums: { calls: "2", costNanos: "1" },
    });
  });

  test("an account's tags above the maximum count as other, also after a restart, without effect on other accounts", async () => {
    await using first = await newBooks(engine);
    const tagged = (id: string, tags: Record<string, string>, more: object = {}) => callOf(id, { tags, ...more });
    const bound = 1_000;
    await recordCalls(
      first,
      Array.from({ length: bound + 5 }, (_, at) => tagged(`call-${at}`, { team: `team-${at}` })),
    );
    const books = { ...first }; // of another process, which has read nothing yet
    await recordCalls(books, [
      tagged("known", { team: "team-7" }),
      tagged("new value", { team: "later" }),
      tagged("new names", { later: "a", latest: "b" }),
      tagged("next day", { team: "later" }, { time: "2026-01-11T10:00:00.000Z" }),
      tagged("another", { team: "later" }, { accountId: "other" }),
    ]);
    const totals = await readTotals(books, { ...day, account: "acme", groupBy: ["tag:team"] });
    const callsOf = (team: string) => totals.find(({ by }) => by["tag:team"] === team)?.sums["calls"];
    expect(totals).toHaveLength(bound + 2); // one for each tag, one for `other`, and one for calls without a tag
    expect([callsOf("team-7"), callsOf("other"), callsOf("later")]).toEqual(["2", "6", undefined]);
    const names = await books.db.selectFrom("daily_tag_totals").select("name").distinct().execute();
    expect(names.map(({ name }) => name).toSorted()).toEqual(["tag:other", "tag:team"]);
    const unlimited = { from: day.from, to: day.to + 86_400_000, groupBy: ["account", "day", "tag:team"] } as const;
    expect(await readTotals(books, { ...unlimited, labels: [{ name: "tag:team", value: "later" }] })).toMatchObject([
      { by: { account: "acme", day: "2026-01-11" } },
      { by: { account: "other", day: "2026-01-10" } },
    ]);
    // All calls are counted in the total without tags.
    expect((await readTotals(books, { ...day, groupBy: [] }))[0]?.sums["calls"]).toBe(String(bound + 5 + 4));
  });
});
