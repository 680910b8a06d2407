import type { Point, Slope } from "./theil-sen.ts";
import { theilSen } from "./theil-sen.ts";

/** Unit of a series, and the growth that is tolerated. */
export interface SeriesKind {
  readonly unit: "B" | "descriptors" | "keys";
  /** Tolerated growth per 1,000 calls. Without it, the series has no verdict. */
  readonly tolerance?: number;
}

/** Measurements of one value. `x` is the number of calls so far. */
export interface Series {
  readonly name: string;
  readonly kind: SeriesKind;
  readonly points: readonly Point[];
}

export interface Finding {
  readonly name: string;
  readonly kind: SeriesKind;
  /** Median of the first tenth of the measurements after the warm-up; `last`: median of the last tenth. */
  readonly first: number;
  readonly last: number;
  /** Growth per 1,000 calls; undefined if there are too few measurements. */
  readonly slope: Slope | undefined;
  readonly isReal: boolean;
}

/** Share of the measurements that is ignored at the beginning, because caches still grow. */
export const warmUpShare = 0.3;
/** Maximum number of points. If there are more, neighbouring ones are merged into medians. */
const maxPoints = 150;

/** Evaluates a series. Its growth is real if the complete confidence interval is above the tolerance. */
export function judge({ name, kind, points }: Series): Finding {
  const kept = mergedPoints(points.slice(Math.floor(points.length * warmUpShare)));
  const ends = Math.max(1, Math.floor(kept.length / 10));
  const slope = theilSen(kept.map(({ x, y }) => ({ x: x / 1_000, y })));
  return {
    name,
    kind,
    first: medianOf(kept.slice(0, ends)).y,
    last: medianOf(kept.slice(-ends)).y,
    slope,
    isReal: slope !== undefined && kind.tolerance !== undefined && slope.low > kind.tolerance,
  };
}

/** Merges neighbouring points into medians. */
function mergedPoints(points: readonly Point[]): readonly Point[] {
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
