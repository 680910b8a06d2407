import { Failure } from "@modelgate/contracts";
import { addAmounts, sumName, type SumColumn, type Sums } from "./sums.ts";
import type { TotalsDimension, TotalsQuery, UsageTotal } from "./totals-query.ts";

/** Groups of totals, to which several queries add amounts. */
export class TotalsGroups {
  readonly #dimensions: readonly TotalsDimension[];
  readonly #maxGroups: number;
  readonly #groups = new Map<string, { readonly by: readonly string[]; readonly sums: Sums }>();

  constructor({ groupBy, maxGroups = Infinity }: Pick<TotalsQuery, "groupBy" | "maxGroups">) {
    this.#dimensions = groupBy;
    this.#maxGroups = maxGroups;
  }

  /** Adds amounts to a group. Throws Failure if there are too many groups. */
  add(by: readonly string[], amounts: Iterable<readonly [string, bigint]>): void {
    const key = by.join("\u001f");
    const group = this.#groups.get(key) ?? { by, sums: new Map() };
    this.#groups.set(key, group);
    if (this.#groups.size > this.#maxGroups)
      throw new Failure(
        "invalid_value",
        `The usage has more than ${this.#maxGroups} rows: choose a shorter period or fewer dimensions.`,
        { param: "by" },
      );
    addAmounts(group.sums, amounts);
  }

  /** Returns the groups that have calls, in order. `columns` selects the sums. */
  totals(columns: readonly SumColumn[]): readonly UsageTotal[] {
    return [...this.#groups]
      .filter(([, { sums }]) => sums.get("calls") !== 0n)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, { by, sums }]) => ({
        by: Object.fromEntries(this.#dimensions.map((dimension, at) => [dimension, by[at] ?? ""])),
        sums: Object.fromEntries(columns.flatMap((name) => namedSum(name, sums.get(name) ?? 0n))),
      }));
  }
}

/** Returns a sum with its name. Sums of units that are 0 are omitted. */
function namedSum(column: SumColumn, sum: bigint): readonly (readonly [string, string])[] {
  return column === "calls" || column === "cost" || sum !== 0n ? [[sumName(column), sum.toString()]] : [];
}
