const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

/** A time in the viewer's zone; a dash where there is none. */
export function localTime(time: string | undefined): string {
  return time === undefined ? "–" : moment.format(new Date(time));
}

/** The spans that pages offer, in days up to now. */
export const spans = { "1d": "Today", "7d": "7 days", "30d": "30 days", "90d": "90 days" } as const;
export type Span = keyof typeof spans;

/** A span's days (UTC, as the books keep them), both ends included, and how they are best split. */
export function periodOf(span: Span, now = Date.now()): { from: string; to: string; by: "hour" | "day" } {
  const days = Number.parseInt(span, 10);
  const date = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return { from: date(now - (days - 1) * 86_400_000), to: date(now), by: days === 1 ? "hour" : "day" };
}

/** Whether a text from an address names a span. */
export function isSpan(text: unknown): text is Span {
  return typeof text === "string" && Object.hasOwn(spans, text);
}
