const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const hourOfDay = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** Formats a time in the viewer's time zone. */
export function localTime(time: string | undefined): string {
  return time === undefined ? "–" : moment.format(new Date(time));
}

/** Formats the time of day in the viewer's time zone. */
export function localClock(time: string): string {
  return clock.format(new Date(time));
}

/** Formats an hour in the viewer's time zone. */
export function localHour(time: string): string {
  return hourOfDay.format(new Date(time));
}

/** Named time ranges: days up to now, and months (UTC). */
export const spans = {
  "1d": "Today",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  "this-month": "This month",
  "last-month": "Last month",
} as const;
export type NamedSpan = keyof typeof spans;
/** Time range in an address: a name, or days such as `2026-01-01..2026-01-31`. */
export type Span = NamedSpan | `${string}..${string}`;

/** Returns the first and last day of a range (UTC, both inclusive), and the unit to divide it by. */
export function periodOf(span: Span, now = Date.now()): { from: string; to: string; by: "hour" | "day" } {
  if (span === "this-month") return { from: dayOf(monthOf(now, 0)), to: dayOf(now), by: "day" };
  if (span === "last-month") return { from: dayOf(monthOf(now, -1)), to: dayOf(monthOf(now, 0) - dayMs), by: "day" };
  if (isNamed(span)) {
    const days = Number.parseInt(span, 10);
    return { from: dayOf(now - (days - 1) * dayMs), to: dayOf(now), by: days === 1 ? "hour" : "day" };
  }
  const [from = "", to = ""] = span.split("..");
  return { from, to, by: from === to ? "hour" : "day" };
}

/** Returns the hours or days of a range up to now. */
export function partsOfSpan(
  span: Span,
  now = Date.now(),
): { readonly by: "hour" | "day"; readonly times: readonly string[] } {
  const { from, to, by } = periodOf(span, now);
  const [first, stepMs] = [Date.parse(from), by === "hour" ? hourMs : dayMs];
  const count = Math.ceil((Math.min(Date.parse(to) + dayMs, now) - first) / stepMs);
  const starts = Array.from({ length: Math.max(1, count) }, (_, at) => first + at * stepMs);
  return { by, times: starts.map((at) => (by === "hour" ? new Date(at).toISOString() : dayOf(at))) };
}

/** Returns the number of days of a range. */
export function daysOf(span: Span): number {
  const { from, to } = periodOf(span);
  return (Date.parse(to) - Date.parse(from)) / dayMs + 1;
}

/** Returns whether a range has a name. */
export function isNamed(span: string): span is NamedSpan {
  return Object.hasOwn(spans, span);
}

/** Returns whether a text is a time range. */
export function isSpan(text: unknown): text is Span {
  if (typeof text !== "string") return false;
  const [from = "", to = "", ...more] = text.split("..");
  return isNamed(text) || (more.length === 0 && isDay(from) && isDay(to) && from <= to);
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Returns the beginning of a UTC month: `distance` months after the month of a time. */
function monthOf(at: number, distance: number): number {
  const time = new Date(at);
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + distance);
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
