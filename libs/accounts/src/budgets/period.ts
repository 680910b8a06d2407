/** Lengths of a budget's period. A week begins on Monday; `total` never ends. */
export const periodNames = ["day", "week", "month", "quarter", "total"] as const;
export type PeriodName = (typeof periodNames)[number];

/** A period of a budget, in the calendar of a time zone. */
export interface BudgetPeriod {
  readonly number: number;
  /** First moment in Unix ms. */
  readonly startMs: number;
  /** First moment of the next period in Unix ms. */
  readonly endMs: number;
}

const dayMs = 24 * 60 * 60_000;
/** Maximum difference of a local time from UTC. */
const maxOffsetMs = 15 * 60 * 60_000;
/** 1 January 1970 was a Thursday. */
const daysBeforeThursday = 3;

const total: BudgetPeriod = { number: 1, startMs: 0, endMs: Number.POSITIVE_INFINITY };
const formatters = new Map<string, Intl.DateTimeFormat>();
/** Latest computed periods, by name and zone. */
const latest = new Map<string, BudgetPeriod>();

/** Returns the IANA name of a time zone; undefined if there is no such zone. */
export function zoneNamed(text: string): string | undefined {
  if (!/^[A-Za-z]/.test(text)) return undefined; // Intl also accepts offsets, which ignore daylight saving time
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Returns the period that contains a moment. A period begins at midnight in the zone. */
export function periodAt(name: PeriodName, zone: string, nowMs: number): BudgetPeriod {
  if (name === "total") return total;
  const key = `${name} ${zone}`;
  const cached = latest.get(key);
  if (cached !== undefined && nowMs >= cached.startMs && nowMs < cached.endMs) return cached;
  const number = periodNumberOf[name](localDay(zone, nowMs));
  const period = periodWith(name, zone, number);
  latest.set(key, period);
  return period;
}

export function periodWith(name: PeriodName, zone: string, number: number): BudgetPeriod {
  if (name === "total") return total;
  const start = (at: number): number => firstMoment(zone, firstDayOf[name](at));
  return { number, startMs: start(number), endMs: start(number + 1) };
}

type Calendar = Readonly<Record<Exclude<PeriodName, "total">, (value: number) => number>>;

/** Returns the number of the period that contains a day. Days are counted from 1 January 1970. */
const periodNumberOf: Calendar = {
  day: (day) => day,
  week: (day) => Math.floor((day + daysBeforeThursday) / 7),
  month: (day) => monthOf(day),
  quarter: (day) => Math.floor(monthOf(day) / 3),
};

/** Returns the first day of a period. */
const firstDayOf: Calendar = {
  day: (number) => number,
  week: (number) => number * 7 - daysBeforeThursday,
  month: (number) => Date.UTC(1970, number) / dayMs,
  quarter: (number) => Date.UTC(1970, number * 3) / dayMs,
};

function monthOf(day: number): number {
  const date = new Date(day * dayMs);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

function localDay(zone: string, ms: number): number {
  if (zone === "UTC") return Math.floor(ms / dayMs);
  let formatter = formatters.get(zone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
    formatters.set(zone, formatter);
  }
  return Date.parse(formatter.format(ms)) / dayMs;
}

/** Clocks may skip midnight, so the first moment of the day is searched. */
function firstMoment(zone: string, day: number): number {
  const midnight = day * dayMs;
  if (zone === "UTC") return midnight;
  let [before, after] = [midnight - maxOffsetMs, midnight + maxOffsetMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDay(zone, middle) >= day) after = middle;
    else before = middle;
  }
  return after;
}
