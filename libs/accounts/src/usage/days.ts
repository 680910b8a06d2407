/** Most days of one query. */
export const mostDays = 366;

/** The days from one date to another, both included, oldest first; throws RangeError beyond `most`. */
export function daysBetween(from: string, to: string, most = mostDays): readonly string[] {
  const [first, last] = [Date.parse(from.slice(0, 10)), Date.parse(to.slice(0, 10))];
  const count = Math.floor((last - first) / 86_400_000) + 1;
  if (Number.isNaN(count) || count > most) throw new RangeError(`from and to are dates, at most ${most} days apart`);
  return Array.from({ length: Math.max(0, count) }, (_, day) =>
    new Date(first + day * 86_400_000).toISOString().slice(0, 10),
  );
}
