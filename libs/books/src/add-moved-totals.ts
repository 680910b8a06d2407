import { addRows } from "./add-totals.ts";
import type { Books } from "./open.ts";
import { sumsAsColumns } from "./sums.ts";

/** Part of a day's totals that Redis contains and the books do not. */
export interface MovedTotal {
  readonly token: string;
  readonly model: string;
  readonly channel: string;
  /** Amounts by name: `calls`, `costNanos`, and the units. */
  readonly sums: ReadonlyMap<string, bigint>;
}

const unknownOutcome = "unknown";

/**
 * Adds totals of a day (its beginning in Unix ms) that are missing in the books. Has an effect only once per account
 * and day.
 */
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
    outcome: unknownOutcome,
    ...sumsAsColumns(sums),
    cost: sums.get("costNanos") ?? 0n,
  }));
  await db.transaction().execute(async (transaction) => {
    const inserted = await transaction
      .insertInto("moved_days")
      .values({ account, day })
      .onConflict((conflict) => conflict.doNothing())
      .returning("account")
      .execute();
    if (inserted.length === 0) return;
    await addRows(transaction, "hourly_totals", rows);
    await addRows(transaction, "daily_totals", rows);
  });
}
