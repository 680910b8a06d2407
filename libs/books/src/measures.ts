import { unitEntries, unitNames, type UnitName, type UsageEvent } from "@modelgate/contracts";

/** Sums are whole numbers, so seconds are summed as milliseconds; the unit `requests` is the number of calls. */
type MeasureOf<Unit extends UnitName> = Unit extends "seconds"
  ? "milliseconds"
  : Unit extends "requests"
    ? never
    : Unit;

/** A column of sums that a unit has. */
export type UnitMeasure = MeasureOf<UnitName>;

/** Every column of sums of units, in the order of the contracts' list: a unit that is added there is added here. */
export const unitMeasures: readonly UnitMeasure[] = unitNames.flatMap((unit) => measureOf(unit) ?? []);

/** The units of an event as whole amounts, by column. */
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

/** An amount as a 64-bit column can add it, whatever a vendor reported. */
function whole(amount: number): bigint {
  return BigInt(Math.min(Math.max(0, Math.round(amount)), Number.MAX_SAFE_INTEGER));
}
