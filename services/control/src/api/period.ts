import { Failure } from "@modelgate/contracts";

/** A stretch of time, both ends included: dates of UTC, or times in RFC 3339. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/**
 * What a query asks for: one `day`, or `from` and `to`; today where it says nothing. Throws Failure invalid_value naming
 * the parameter that is wrong.
 */
export function periodOf(query: URLSearchParams, takes: "dates" | "dates or times"): Period {
  const today = new Date().toISOString().slice(0, 10);
  const day = dateIn(query, "day");
  const end = (name: string): string => day ?? (takes === "dates" ? dateIn : timeIn)(query, name) ?? today;
  const period = { from: end("from"), to: end("to") };
  if (period.from.slice(0, 10) > period.to.slice(0, 10))
    throw new Failure("invalid_value", `from (${period.from}) must not be after to (${period.to}).`, { param: "from" });
  return period;
}

/** What was read of a period. Throws Failure invalid_value where it is longer than may be read at once. */
export async function readPeriod<Found>(read: () => Promise<Found>): Promise<Found> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RangeError) throw new Failure("invalid_value", `${error.message}.`, { param: "from" });
    throw error;
  }
}

function dateIn(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  if (value === null || isDate(value)) return value ?? undefined;
  throw new Failure("invalid_value", `${name} must be a date, as in 2026-01-31.`, { param: name });
}

function timeIn(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name);
  if (value === null || isDate(value)) return value ?? undefined;
  const time = Date.parse(value);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new Failure("invalid_value", `${name} must be a date or a time, as in 2026-01-31T12:00:00Z.`, { param: name });
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}
