const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** A count for reading: 1,234 or 1.2M. */
export function count(value: number | string | undefined): string {
  const amount = Number(value ?? 0);
  return amount < 10_000 ? amount.toLocaleString("en-US") : compact.format(amount);
}

/** A share as a percentage with one decimal; a dash where there is nothing to share. */
export function percentage(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((part / whole) * 100).toFixed(1)} %`;
}

/** Milliseconds for reading. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** The value below which a share of the samples lie (nearest rank); undefined without samples. */
export function percentile(samples: readonly number[], share: number): number | undefined {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
