import { Failure, oneOfPredicate } from "@modelgate/contracts";

/** Time range in Unix ms. `to` is excluded. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;

/** Named periods, as distance in months from the current month (UTC). */
const monthDistances: ReadonlyMap<string, number> = new Map([
  ["this-month", 0],
  ["last-month", -1],
]);

/**
 * Reads the period of a query: `period`, `day`, or `from` and `to`. A date in `to` includes the complete day. The
 * default is today (UTC).
 */
export function readPeriod(query: URLSearchParams): Period {
  const periodName = query.get("period");
  if (periodName !== null) return readNamedPeriod(query, periodName);
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const day = readDate(query, "day");
  const spanOf = (name: string): TimeSpan | undefined => day ?? readTime(query, name);
  const [first, last] = [spanOf("from"), spanOf("to")];
  const period = { from: first?.at ?? today, to: last === undefined ? today + dayMs : last.at + last.lengthMs };
  if (period.from < period.to) return period;
  const [from, to] = [period.from, period.to - 1].map((at) => new Date(at).toISOString());
  throw new Failure("invalid_value", `from (${from}) must not be after to (${to}).`, { param: "from" });
}

function readNamedPeriod(query: URLSearchParams, name: string): Period {
  const distance = monthDistances.get(name);
  if (distance === undefined)
    throw new Failure("invalid_value", `period ${oneOfPredicate([...monthDistances.keys()])}.`, { param: "period" });
  const other = ["day", "from", "to"].find((param) => query.has(param));
  if (other !== undefined)
    throw new Failure("invalid_value", `period and ${other} exclude each other.`, { param: "period" });
  const now = Date.now();
  return { from: monthOf(now, distance), to: monthOf(now, distance + 1) };
}

/** Returns the beginning of a UTC month: `distance` months after the month of a time. */
export function monthOf(at: number, distance: number): number {
  const time = new Date(at);
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + distance);
}

/** Start and length, in ms, of a date or a time in a query. */
interface TimeSpan {
  readonly at: number;
  readonly lengthMs: number;
}

function readDate(query: URLSearchParams, name: string): TimeSpan | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (isDate(value)) return { at: Date.parse(value), lengthMs: dayMs };
  throw new Failure("invalid_value", `${name} must be a date, as in 2026-01-31.`, { param: name });
}

function readTime(query: URLSearchParams, name: string): TimeSpan | undefined {
  const value = query.get(name);
  if (value === null || isDate(value)) return readDate(query, name);
  const at = Date.parse(value);
  if (!Number.isNaN(at)) return { at, lengthMs: 1 };
  throw new Failure("invalid_value", `${name} must be a date or a time, as in 2026-01-31T12:00:00Z.`, { param: name });
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}
