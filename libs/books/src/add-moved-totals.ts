import { addRows } from "./add-totals.ts";
import type { Books } from "./open.ts";
import { columnsOf } from "./sums.ts";

/** The part of a day's totals that exceeds the calls in the books. */
export interface MovedTotal {
  readonly token: string;
  readonly model: string;
  readonly channel: string;
  /** Amounts by measure: `calls`, `costNanos`, and units. */
  readonly sums: ReadonlyMap<string, bigint>;
}

/** Earlier totals do not contain the outcome of calls. */
const outcome = "unknown";

/** Adds the excess of a day's totals over its calls, once per account and day (Unix ms of its beginning). */
export async function addMovedTotals(
  { db }: Books,
  account: string,
  day: number,
  parts: readonly MovedTotal[],
): Promise<void> {
  const rows = parts.map(({ token, model, channel, sums }) => ({
    account,
    period: day,
    token,
    model,
    channel,
    outcome,
    ...columnsOf(sums),
    cost: sums.get("costNanos") ?? 0n,
  }));
  await db.transaction().execute(async (at) => {
    const fresh = await at
      .insertInto("moved_days")
      .values({ account, day })
      .onConflict((conflict) => conflict.doNothing())
      .returning("account")
      .execute();
    if (fresh.length === 0) return;
    await addRows(at, "hourly_totals", rows);
    await addRows(at, "daily_totals", rows);
  });
}
