const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** Formats a count: 1,234 or 1.2M. */
export function formatCount(value: number | string | undefined): string {
  const amount = Number(value ?? 0);
  return amount < 10_000 ? amount.toLocaleString("en-US") : compact.format(amount);
}

/** Formats a share as a percentage; a dash if the total is zero. */
export function formatShare(part: number, total: number): string {
  return total === 0 ? "–" : `${((part / total) * 100).toFixed(1)} %`;
}

/** Formats milliseconds: 478 ms or 1.25 s. */
export function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** Formats two durations: 478 / 742 ms. */
export function formatDurations(one: number, other: number): string {
  const [isShort, written] = [other < 1_000, [formatDuration(one), formatDuration(other)]];
  const unit = isShort ? " ms" : " s";
  return one < 1_000 === isShort ? written.join(" / ").replace(`${unit} /`, " /") : written.join(" / ");
}

const sizes = [
  ["GB", 2 ** 30],
  ["MB", 2 ** 20],
] as const;

export function formatBytes(amount: number): string {
  const [unit, size] = sizes.find(([, least]) => amount >= least) ?? ["KB", 2 ** 10];
  return `${(amount / size).toFixed(1)} ${unit}`;
}
