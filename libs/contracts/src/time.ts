const shape = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)))?$/;

/**
 * A moment as operators write it, in Unix ms: a date (its first moment in UTC), or a date and a time with its zone, as in
 * `2030-01-01T00:00:00Z`. Undefined for anything else: a time without a zone would mean another moment on every machine,
 * and a day that its month does not have would be one of the next.
 */
export function parseTime(written: string): number | undefined {
  const [, day, time = "00:00Z"] = shape.exec(written) ?? [];
  if (day === undefined) return undefined;
  const midnight = Date.parse(`${day}T00:00Z`);
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  const moment = Date.parse(`${day}T${time}`);
  return Number.isNaN(moment) ? undefined : moment;
}
