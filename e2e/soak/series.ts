import type { Point, Slope } from "./theil-sen.ts";
import { theilSen } from "./theil-sen.ts";

/** What a series is of, which says how much growth a call may cause before it counts as real. */
export interface SeriesKind {
  readonly unit: "B" | "descriptors" | "keys";
  /** Growth per 1,000 calls that is no finding: the whole interval must lie above it. Absent: shown, not judged. */
  readonly tolerance?: number;
}

/** One figure of one process or store, read again and again; `x` is how many calls there had been. */
export interface Series {
  readonly name: string;
  readonly kind: SeriesKind;
  readonly points: readonly Point[];
}

/** What a series came to. */
export interface Finding {
  readonly name: string;
  readonly kind: SeriesKind;
  /** Before and after, each the median of a tenth of the readings. */
  readonly first: number;
  readonly last: number;
  /** Per 1,000 calls; undefined where there are too few readings. */
  readonly slope: Slope | undefined;
  readonly real: boolean;
}

/** The first readings are left out by this share: caches, pools and compiled code fill up. */
export const warmUpShare = 0.3;
/** Most readings that a slope is taken from; more are put together to their medians. */
const maxPoints = 150;

/** Judges a series: its slope is real where the whole interval is above what its kind tolerates. */
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

/** Neighbours put together to their medians, so that there are no more than `maxPoints`. */
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
