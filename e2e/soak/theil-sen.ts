export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Slope, and its confidence interval. */
export interface Slope {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
}

/** Minimum points for a reliable confidence interval. */
const minPoints = 10;
/** Quantile of the normal distribution for a two-sided interval of 99 %. */
const z = 2.5758;
/** Maximum lag of correlations, as a share of the number of points. */
const lagShare = 1 / 4;

/**
 * Estimates a slope (Theil–Sen) and its 99 % confidence interval (Sen 1968). The variance is corrected for dependent
 * measurements (Hamed and Rao 1998). Returns undefined for too few points.
 */
export function theilSen(points: readonly Point[]): Slope | undefined {
  const slopes = pairSlopes(points);
  if (points.length < minPoints || slopes.length === 0) return undefined;
  const slope = median(slopes);
  const n = points.length;
  const kendall = (n * (n - 1) * (2 * n + 5)) / 18;
  const residuals = points.map(({ x, y }) => y - slope * x);
  const reach = z * Math.sqrt(kendall * correlationFactor(residuals));
  const at = (place: number): number => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(place)))] ?? slope;
  const middle = (slopes.length - 1) / 2;
  return { slope, low: at(middle - reach / 2), high: at(middle + reach / 2) };
}

/** Returns the slopes of all pairs in ascending order. */
function pairSlopes(points: readonly Point[]): Float64Array {
  const slopes: number[] = [];
  for (const [at, a] of points.entries())
    for (const b of points.slice(at + 1)) if (a.x !== b.x) slopes.push((b.y - a.y) / (b.x - a.x));
  return Float64Array.from(slopes).sort();
}

function median(sorted: Float64Array): number {
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

/** Returns the factor by which dependence increases the variance; at least 1. */
function correlationFactor(residuals: readonly number[]): number {
  const ranks = ranksOf(residuals);
  const n = ranks.length;
  const mean = (n + 1) / 2;
  const spread = ranks.reduce((sum, rank) => sum + (rank - mean) ** 2, 0);
  if (spread === 0) return 1;
  let sum = 0;
  for (let lag = 1; lag <= n * lagShare; lag++) {
    let together = 0;
    for (let at = 0; at + lag < n; at++) together += ((ranks[at] ?? 0) - mean) * ((ranks[at + lag] ?? 0) - mean);
    const correlation = together / spread;
    // Larger lags are noise: this correlation is no longer significant (95 %).
    if (correlation <= 1.645 / Math.sqrt(n)) break;
    sum += (n - lag) * (n - lag - 1) * (n - lag - 2) * correlation;
  }
  return 1 + (2 / (n * (n - 1) * (n - 2))) * sum;
}

/** Returns the rank of each value, from 1. Equal values get the mean of their ranks. */
function ranksOf(values: readonly number[]): readonly number[] {
  const order = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const ranks = values.map(() => 0);
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && order[to]?.value === order[from]?.value) to++;
    for (const { at } of order.slice(from, to)) ranks[at] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}
