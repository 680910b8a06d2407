import type { UsageEvent } from "@modelgate/contracts";
import { measuresOf, unitMeasures } from "./measures.ts";

/** Columns that are summed. */
export const sumColumns = ["calls", "cost", ...unitMeasures] as const;
export type SumColumn = (typeof sumColumns)[number];

/** Returns the name of a column's sum in results. */
export function sumName(column: SumColumn): string {
  return column === "cost" ? "costNanos" : column;
}

/** Amounts by column. A missing amount is 0. */
export type Sums = Map<string, bigint>;

/** Adds amounts to the sums with the same names. */
export function addAmounts(sums: Sums, amounts: Iterable<readonly [string, bigint]>): void {
  for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0n) + amount);
}

/** Returns the amounts that one call adds to sums, by column. */
export function amountsOf(event: UsageEvent): readonly (readonly [string, bigint])[] {
  return [["calls", 1n], ["cost", BigInt(event.costNanos)], ...measuresOf(event)];
}

/** Converts sums to the columns of a table row. */
export function sumsAsColumns(sums: ReadonlyMap<string, bigint>) {
  return {
    calls: Number(sums.get("calls") ?? 0n),
    cost: sums.get("cost") ?? 0n,
    ...Object.fromEntries(unitMeasures.map((name) => [name, sums.get(name) ?? 0n])),
  };
}
