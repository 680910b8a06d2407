import { addAmounts, sumName, type SumColumn, type Sums } from "./sums.ts";
import type { TotalsDimension, UsageTotal } from "./totals-query.ts";

/** Totals that are put together from several readings. */
export class Groups {
  readonly #dimensions: readonly TotalsDimension[];
  readonly #groups = new Map<string, { readonly by: readonly string[]; readonly sums: Sums }>();

  constructor(dimensions: readonly TotalsDimension[]) {
    this.#dimensions = dimensions;
  }

  /** Adds amounts to the group of these values, one for each dimension. */
  add(by: readonly string[], amounts: Iterable<readonly [string, bigint]>): void {
    const key = by.join("\u001f");
    const group = this.#groups.get(key) ?? { by, sums: new Map() };
    this.#groups.set(key, group);
    addAmounts(group.sums, amounts);
  }

  /** The groups that have calls, in the order of their values, each with these sums. */
  totals(columns: readonly SumColumn[]): readonly UsageTotal[] {
    return [...this.#groups]
      .filter(([, { sums }]) => sums.get("calls") !== 0n)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, { by, sums }]) => ({
        by: Object.fromEntries(this.#dimensions.map((dimension, at) => [dimension, by[at] ?? ""])),
        sums: Object.fromEntries(columns.flatMap((name) => shown(name, sums.get(name) ?? 0n))),
      }));
  }
}

/** A sum under its name, where it says something. */
function shown(column: SumColumn, sum: bigint): readonly (readonly [string, string])[] {
  return column === "calls" || column === "cost" || sum !== 0n ? [[sumName(column), sum.toString()]] : [];
}
