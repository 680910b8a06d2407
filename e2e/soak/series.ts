import type { Point, Slope } from "./theil-sen.ts";
import { theilSen } from "./theil-sen.ts";

/** Kind of a series, with its unit and the growth per call that counts as real. */
export interface SeriesKind {
  readonly unit: "B" | "descriptors" | "keys";
  /**
   * Tolerated growth per 1,000 calls. The growth is real only if the complete interval is above it. Absent: the series
   * is shown without a verdict.
   */
  readonly tolerance?: number;
}

/** Measurements of one value of a process or store; `x` is the number of calls so far. */
export interface Series {
  readonly name: string;
  readonly kind: SeriesKind;
  readonly points: readonly Point[];
}

/** Result of a series. */
export interface Finding {
  readonly name: string;
  readonly kind: SeriesKind;
  /** Medians of the first and of the last tenth of the measurements. */
  readonly first: number;
  readonly last: number;
  /** Slope per 1,000 calls; undefined if there are too few measurements. */
  readonly slope: Slope | undefined;
  readonly real: boolean;
}

/** Share of the first measurements that is ignored, because caches, pools and compiled code grow at first. */
export const warmUpShare = 0.3;
/** Maximum number of points of a slope. More measurements are grouped, and each group is replaced by its median. */
const maxPoints = 150;

/**
 * Evaluates a series. The slope is real if its complete confidence interval is above the tolerance of the series' kind.
 */
export function judge({ name, kind, points }: Series): Finding {
  const kept = thinned(points.slice(Math.floor(points.length * warmUpShare)));
  const ends = Math.max(1, Math.floor(kept.length / 10));
  const slope = theilSen(kept.map(({ x, y }) => ({ x: x / 1_000, y })));
  return {
    name,
    kind,
    first: medianOf(kept.slice(0, ends)).y,
    last: medianOf(kept.slice(-ends)).y,
    slope,
    real: slope !== undefined && kind.tolerance !== undefined && slope.low > kind.tolerance,
  };
}

/** Groups neighbouring points, and replaces each group by its median, so that at most `maxPoints` remain. */
function thinned(points: readonly Point[]): readonly Point[] {
  const size = Math.ceil(points.length / maxPoints);
  if (size <= 1) return points;
  return Array.from({ length: Math.floor(points.length / size) }, (_, at) =>
    medianOf(points.slice(at * size, (at + 1) * size)),
  );
}

function medianOf(points: readonly Point[]): Point {
  const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return { x: middle(points.map(({ x }) => x)), y: middle(points.map(({ y }) => y)) };
}
