import { expect, test } from "vitest";
import { periodAt, type Budget } from "@modelgate/accounts";
import { computeSpending, type AccountQueries } from "../src/accounts/budget-spending.ts";

const dayMs = 86_400_000;
const created = Date.parse("2026-01-10T12:00:00Z");

/** Returns queries about an account whose calls of tok_1 have these costs, by time. */
function accountWith(calls: Readonly<Record<string, bigint>>): AccountQueries {
  return {
    account: "acme",
    tokens: async () => [],
    async totals({ from, to, groupBy }) {
      const found = Object.entries(calls).filter(([time]) => Date.parse(time) >= from && Date.parse(time) < to);
      return found.map(([time, cost]) => ({
        by: { token: "tok_1", ...(groupBy.includes("day") ? { day: time.slice(0, 10) } : {}) },
        sums: { costNanos: cost.toString() },
      }));
    },
  };
}

const budgetIn = (zone: string, more: Partial<Budget> = {}): Budget => ({
  id: "bud_1",
  scope: "account",
  period: "day",
  zone,
  nanos: "10",
  rolloverNanos: "5000",
  mode: "hard",
  createdAt: new Date(created).toISOString(),
  ...more,
});

test.each(["UTC", "Asia/Tokyo", "America/New_York"])("the money of 90 days rolls over, in %s", async (zone) => {
  const queries = accountWith({
    "2026-01-20T12:00:00Z": 4n,
    "2026-01-20T13:00:00Z": 2n,
    "2026-03-01T12:00:00Z": 700n,
    "2026-03-15T12:00:00Z": 1n,
    "2026-04-10T12:00:00Z": 3n,
  });
  const now = created + 90 * dayMs;
  // The call of 1 March exceeds the budget. Afterwards, the money of 39 days rolls over, minus one call.
  expect(await computeSpending(queries, budgetIn(zone), now)).toEqual({
    period: periodAt("day", zone, now).number,
    spentNanos: 3n,
    leftBefore: 389n,
  });
  const limited = budgetIn(zone, { rolloverNanos: "45" });
  expect(await computeSpending(queries, limited, now)).toMatchObject({ leftBefore: 55n });
});
