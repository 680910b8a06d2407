import type { Redis } from "@modelgate/platform";
import { listAccountIds } from "../money/account.ts";
import { keys } from "../keys.ts";
import { fieldBreak } from "./record.ts";

/** What totals can be grouped by. */
export const usageDimensions = ["account", "token", "model", "channel", "day"] as const;
export type UsageDimension = (typeof usageDimensions)[number];

export interface UsageQuery {
  /** Days, RFC 3339 dates, both included. */
  readonly from: string;
  readonly to: string;
  readonly account?: string | undefined;
  readonly token?: string | undefined;
  readonly model?: string | undefined;
  readonly channel?: string | undefined;
  readonly groupBy: readonly UsageDimension[];
}

/** One row of totals: the dimensions asked for, and sums as decimal strings. */
export interface UsageTotal {
  readonly by: Readonly<Partial<Record<UsageDimension, string>>>;
  readonly sums: Readonly<Record<string, string>>;
}

/** Most days of one query. */
export const mostDays = 366;

/** Sums of usage over accounts and days, grouped; the rows are sorted by their dimensions. */
export async function readTotals(redis: Redis, query: UsageQuery): Promise<readonly UsageTotal[]> {
  const rows = new Map<string, { by: Partial<Record<UsageDimension, string>>; sums: Map<string, bigint> }>();
  const accounts = query.account === undefined ? await listAccountIds(redis) : [query.account];
  for (const day of daysBetween(query.from, query.to)) {
    for (const account of accounts) {
      for (const [field, amount] of Object.entries(await redis.hgetall(keys.totals(account, day)))) {
        const [token = "", model = "", channel = "", measure = ""] = field.split(fieldBreak);
        const at: Record<UsageDimension, string> = { account, token, model, channel, day };
        if (!matches(at, query)) continue;
        const by = Object.fromEntries(query.groupBy.map((dimension) => [dimension, at[dimension]]));
        const id = JSON.stringify(by);
        const row = rows.get(id) ?? { by, sums: new Map<string, bigint>() };
        row.sums.set(measure, (row.sums.get(measure) ?? 0n) + BigInt(amount));
        rows.set(id, row);
      }
    }
  }
  return [...rows]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([, { by, sums }]) => ({
      by,
      sums: Object.fromEntries([...sums].map(([measure, sum]) => [measure, sum.toString()])),
    }));
}

function matches(at: Record<UsageDimension, string>, query: UsageQuery): boolean {
  return (["token", "model", "channel"] as const).every(
    (dimension) => query[dimension] === undefined || query[dimension] === at[dimension],
  );
}

/** The days from one date to another, both included; throws RangeError beyond `mostDays`. */
function daysBetween(from: string, to: string): readonly string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const count = Math.floor((last - first) / 86_400_000) + 1;
  if (Number.isNaN(count) || count > mostDays)
    throw new RangeError(`from and to are dates, at most ${mostDays} days apart`);
  return Array.from({ length: Math.max(0, count) }, (_, day) =>
    new Date(first + day * 86_400_000).toISOString().slice(0, 10),
  );
}
