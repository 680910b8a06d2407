import fc from "fast-check";
import { expect, test } from "vitest";
import { deleteOldCalls, recordCalls, type Books } from "@modelgate/books";
import { parseUsd } from "@modelgate/contracts";
import { StreamedAnswer, type OperatorRoutes } from "@modelgate/platform";
import { testUsageDraft } from "@modelgate/testkit";
import { callRoutes } from "../../src/api/calls.ts";
import { focusHeader } from "../../src/api/focus-csv.ts";
import { totalsRoutes } from "../../src/api/totals.ts";
import type { BooksConnection } from "../../src/books-connection.ts";
import { newBooks } from "../engines.ts";

const dayMs = 86_400_000;
const days = 4;
const begin = Date.parse("2026-02-27T00:00:00Z");
const heads = focusHeader.trim().split(",");

const moment = fc.nat({ max: days * dayMs - 1 });
const calls = fc.array(
  fc.record({
    atMs: moment,
    cost: fc.nat({ max: 1_000_000 }),
    token: fc.constantFrom("tok_1", "tok_2"),
    tags: fc.constantFrom(undefined, { team: "red" }, { team: "red", env: "test" }, { team: 'a,"b' }),
    endUser: fc.constantFrom(undefined, "ann", "bob"),
  }),
  { minLength: 1, maxLength: 30 },
);
const periods = fc.array(fc.tuple(moment, moment), { minLength: 1, maxLength: 4 });

function routesOf(books: Books): OperatorRoutes {
  const use: BooksConnection["use"] = (step) => step(books);
  const connection: BooksConnection = {
    use,
    useDuringMove: use,
    setMoving: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { ...callRoutes(connection), ...totalsRoutes(connection) };
}

async function run(books: Books, route: string, words: string): Promise<unknown> {
  const call = { operator: { name: "ada", role: "admin" as const }, actor: "ada", headers: {}, address: "" };
  return routesOf(books)[route]?.({ ...call, params: {}, query: new URLSearchParams(words), body: {} });
}

/** Returns the sum of the column BilledCost in a period. */
async function billed(books: Books, account: string, from: number, to: number): Promise<bigint> {
  const answer = await run(books, "GET /usage/export", `format=focus&${wordsOf(account, from, to)}`);
  let text = "";
  for await (const piece of answer instanceof StreamedAnswer ? answer.pieces : []) text += String(piece);
  const lines = text.trim().split("\r\n").slice(1);
  return lines.reduce((sum, line) => sum + parseUsd(line.split(",")[heads.indexOf("BilledCost")] ?? ""), 0n);
}

/** Returns the cost in a period according to the usage totals. */
async function used(books: Books, account: string, from: number, to: number): Promise<bigint> {
  const answer = await run(books, "GET /usage", `by=account&${wordsOf(account, from, to)}`);
  const rows: readonly unknown[] = Array.isArray(answer) ? answer : [];
  const costs = rows.map((row) => String(Reflect.get(Object(Reflect.get(Object(row), "sums")), "costNanos")));
  return costs.reduce((sum, nanos) => sum + BigInt(nanos), 0n);
}

function wordsOf(account: string, from: number, to: number): string {
  return `account=${account}&from=${new Date(from).toISOString()}&to=${new Date(to - 1).toISOString()}`;
}

test("the billed cost of any period is the cost of its calls, and that of days stays after the calls are deleted", async () => {
  await using books = await newBooks({ kind: "sqlite" });
  let accounts = 0;
  await fc.assert(
    fc.asyncProperty(calls, periods, fc.integer({ min: 1, max: days }), async (drawnCalls, requested, keepDays) => {
      const account = `account-${accounts++}`;
      const events = drawnCalls.map(({ atMs, cost, token, tags, endUser }, at) => ({
        ...testUsageDraft(account, `${account}-call-${at}`),
        time: new Date(begin + atMs).toISOString(),
        costNanos: `${cost}`,
        tokenId: token,
        ...(tags === undefined ? {} : { tags }),
        ...(endUser === undefined ? {} : { endUser }),
      }));
      await recordCalls(books, events);
      const costIn = (from: number, to: number): bigint =>
        drawnCalls
          .filter(({ atMs }) => begin + atMs >= from && begin + atMs < to)
          .reduce((sum, { cost }) => sum + BigInt(cost), 0n);
      for (const [one, other] of requested) {
        const [from, to] = [begin + Math.min(one, other), begin + Math.max(one, other) + 1];
        expect(await billed(books, account, from, to)).toBe(costIn(from, to));
        expect(await used(books, account, from, to)).toBe(costIn(from, to));
      }
      await deleteOldCalls(books, keepDays, begin + days * dayMs);
      for (const [one, other] of requested.map((pair) => pair.map((atMs) => Math.floor(atMs / dayMs)))) {
        const [first = 0, last = 0] = [one ?? 0, other ?? 0].toSorted((left, right) => left - right);
        const [from, to] = [begin + first * dayMs, begin + (last + 1) * dayMs];
        expect(await billed(books, account, from, to)).toBe(costIn(from, to));
        expect(await used(books, account, from, to)).toBe(costIn(from, to));
      }
    }),
    { numRuns: 40 },
  );
});
