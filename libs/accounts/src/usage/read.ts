import type { Redis } from "@modelgate/platform";
import { listAccountIds } from "../money/account.ts";
import { keys } from "../keys.ts";
import { daysBetween } from "./days.ts";
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

/** Sums of usage over accounts and days, grouped; the rows are sorted by their dimensions. */
export async function readTotals(redis: Redis, query: UsageQuery): Promise<readonly UsageTotal[]> {
  const rows = new Map<string, { by: Partial<Record<UsageDimension, string>>; sums: Map<string, bigint> }>();
  const accounts = query.account === undefined ? await listAccountIds(redis) : [query.account];
  for (const day of daysBetween(query.from, query.to)) {
    // All accounts of a day at once: the client sends them in one go.
    const totals = await Promise.all(accounts.map((account) => redis.hgetall(keys.totals(account, day))));
    for (const [which, account] of accounts.entries()) {
      for (const [field, amount] of Object.entries(totals[which] ?? {})) {
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
