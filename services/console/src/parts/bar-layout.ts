/** Space around the bars, in px. */
const [left, top, bottom] = [64, 12, 24];
const height = 260;
/** Maximum width of a bar and minimum width of its label, in px. */
const [maxBarWidth, labelWidth] = [48, 52];
/** Width of a bar as a share of the step between two bars. */
const barShare = 0.75;
const gridLines = 4;

/** Positions of a chart's bars, in px. `max` is the value at the top. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  /** Distance between the starts of two bars. */
  readonly step: number;
  readonly barWidth: number;
  readonly max: number;
}

/** Computes the layout of a bar chart. The top is `max`, rounded up to a grid line. */
export function layoutOf({
  width,
  bars,
  max,
}: {
  readonly width: number;
  readonly bars: number;
  readonly max: number;
}): Layout {
  const step = Math.max(0, width - left) / Math.max(1, bars);
  const barWidth = Math.min(maxBarWidth, Math.max(1, step * barShare));
  return { width, height, left, step, barWidth, max: roundSteps(max).at(-1) ?? 1 };
}

/** Returns the vertical position of a value. */
export function yOf({ max }: Layout, value: number): number {
  return height - bottom - (value / max) * (height - bottom - top);
}

/** Returns the round values of the grid lines, from 0 to at least `max`; for a maximum of 0.9: 0, 0.25, 0.5, 0.75, 1. */
export function roundSteps(max: number): readonly number[] {
  if (max <= 0) return [0, 1];
  const size = 10 ** Math.floor(Math.log10(max / gridLines));
  const step = size * ([1, 2, 2.5, 5, 10].find((nice) => nice * size * gridLines >= max * (1 - 1e-9)) ?? 10);
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** Returns the indices of the bars that get a label, so that labels do not overlap. The last bar gets one. */
export function labelledBars({ step }: Layout, bars: number): readonly number[] {
  const every = Math.max(1, Math.ceil(labelWidth / Math.max(step, 1)));
  return Array.from({ length: bars }, (_, at) => at).filter((at) => (bars - 1 - at) % every === 0);
}

/** Returns the index of the bar at a horizontal position. */
export function barAt({ step }: Layout, offset: number): number | undefined {
  return offset < left || step === 0 ? undefined : Math.floor((offset - left) / step);
}
