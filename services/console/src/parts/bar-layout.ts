/** Room around the bars, px: for what the lines are, above the highest, and for the names of the bars. */
const [left, top, bottom] = [64, 12, 24];
const height = 260;
/** A bar is no wider, and its name has at least so much room, px. */
const [widestBar, nameWidth] = [48, 52];
/** The share of its room that a bar takes. */
const barShare = 0.75;
/** Desired number of grid lines. */
const lines = 4;

/** Positions of the bars of a chart, px; `most` is the value at its top. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  /** Distance from one bar to the next. */
  readonly step: number;
  readonly barWidth: number;
  readonly most: number;
}

/** Places so many bars in a width. */
export function layoutOf({
  width,
  bars,
  most,
}: {
  readonly width: number;
  readonly bars: number;
  readonly most: number;
}): Layout {
  const step = Math.max(0, width - left) / Math.max(1, bars);
  const barWidth = Math.min(widestBar, Math.max(1, step * barShare));
  return { width, height, left, step, barWidth, most: niceSteps(most).at(-1) ?? 1 };
}

/** Returns the vertical position of a value. */
export function bottomOf({ most }: Layout, value: number): number {
  return height - bottom - (value / most) * (height - bottom - top);
}

/** Round values from 0 to the first that is not below the most: 0, 0.25, 0.5, 0.75, 1. */
export function niceSteps(most: number): readonly number[] {
  if (most <= 0) return [0, 1];
  const size = 10 ** Math.floor(Math.log10(most / lines));
  const step = size * ([1, 2, 2.5, 5, 10].find((nice) => nice * size * lines >= most * (1 - 1e-9)) ?? 10);
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** The bars whose names are written, so that none is on another; the newest is always one of them. */
export function labelledBars({ step }: Layout, bars: number): readonly number[] {
  const every = Math.max(1, Math.ceil(nameWidth / Math.max(step, 1)));
  return Array.from({ length: bars }, (_, at) => at).filter((at) => (bars - 1 - at) % every === 0);
}

/** The bar at an offset from the left; undefined where there is none. */
export function barAt({ step }: Layout, offset: number): number | undefined {
  return offset < left || step === 0 ? undefined : Math.floor((offset - left) / step);
}
