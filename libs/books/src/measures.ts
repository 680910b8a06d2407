import { unitEntries, unitNames, type UnitName, type UsageEvent } from "@modelgate/contracts";

/**
 * Column of a unit's sums. Sums are integers, so seconds become milliseconds. `requests` has no column, because it
 * equals the number of calls.
 */
type MeasureOf<Unit extends UnitName> = Unit extends "seconds"
  ? "milliseconds"
  : Unit extends "requests"
    ? never
    : Unit;

/** Name of a column with the sums of a unit. */
export type UnitMeasure = MeasureOf<UnitName>;

/** Columns of the sums of all units. A new unit in `unitNames` gets a column. */
export const unitMeasures: readonly UnitMeasure[] = unitNames.flatMap((unit) => measureOf(unit) ?? []);

/** Returns the units of a usage event as integers, by column. */
export function measuresOf({ units }: UsageEvent): readonly (readonly [UnitMeasure, bigint])[] {
  return unitEntries(units).flatMap(([unit, amount]) => {
    const measure = measureOf(unit);
    return measure === undefined
      ? []
      : [[measure, toSumInteger(unit === "seconds" ? amount * 1_000 : amount)] as const];
  });
}

function measureOf(unit: UnitName): UnitMeasure | undefined {
  if (unit === "requests") return undefined;
  return unit === "seconds" ? "milliseconds" : unit;
}

/** Converts an amount to an integer that fits into 64 bits, because a vendor may report any number. */
function toSumInteger(amount: number): bigint {
  return BigInt(Math.min(Math.max(0, Math.round(amount)), Number.MAX_SAFE_INTEGER));
}
