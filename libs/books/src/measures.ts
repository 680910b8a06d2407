import { unitEntries, unitNames, type UnitName, type UsageEvent } from "@modelgate/contracts";

/**
 * Column of a unit's sum. Sums are integers, so seconds are summed as milliseconds; the unit `requests` is the number
 * of calls.
 */
type MeasureOf<Unit extends UnitName> = Unit extends "seconds"
  ? "milliseconds"
  : Unit extends "requests"
    ? never
    : Unit;

/** A column of sums of a unit. */
export type UnitMeasure = MeasureOf<UnitName>;

/** Columns of sums of all units, in the order of the contracts' list; a new unit there gets a column. */
export const unitMeasures: readonly UnitMeasure[] = unitNames.flatMap((unit) => measureOf(unit) ?? []);

/** Returns the units of an event as integers, by column. */
export function measuresOf({ units }: UsageEvent): readonly (readonly [UnitMeasure, bigint])[] {
  return unitEntries(units).flatMap(([unit, amount]) => {
    const measure = measureOf(unit);
    return measure === undefined ? [] : [[measure, whole(unit === "seconds" ? amount * 1_000 : amount)] as const];
  });
}

function measureOf(unit: UnitName): UnitMeasure | undefined {
  if (unit === "requests") return undefined;
  return unit === "seconds" ? "milliseconds" : unit;
}

/** Returns an amount that a 64-bit column can add, whatever number a vendor reported. */
function whole(amount: number): bigint {
  return BigInt(Math.min(Math.max(0, Math.round(amount)), Number.MAX_SAFE_INTEGER));
}
