/** Grafana's names of the units in use. */
export type Unit = "reqps" | "percentunit" | "s" | "short" | "currencyUSD" | "bytes" | "cps" | "none";

/** Queries, by the format of their legends: `{{label}}` is replaced by the label's value. */
export type Queries = Readonly<Record<string, string>>;

/** Value from which on a colour applies. */
export interface Threshold {
  readonly from: number;
  readonly color: "orange" | "red";
}

/** Members that every panel has. */
interface PanelBase {
  readonly title: string;
  /** Text that is shown at the title: the meaning of the values, and what to do about them. */
  readonly description?: string;
  readonly queries: Queries;
  /** Width, of Grafana's 24 columns. */
  readonly width: number;
}

/** Panel with curves over time. */
export interface Curves extends PanelBase {
  readonly kind: "curves";
  /** Text that is shown if there is no data. */
  readonly whenEmpty?: string;
  readonly unit: Unit;
  /** True if curves are stacked, because their sum is meaningful. */
  readonly stacked: boolean;
  /** Thresholds, each shown as a line. */
  readonly thresholds: readonly Threshold[];
  /** Colours of curves, by patterns of their names. */
  readonly colors: Readonly<Record<string, string>>;
  /**
   * Place of the legend: in a line below, for few curves; or in a table beside the curves, largest value first, for
   * many.
   */
  readonly legend: "below" | "beside";
  /** Minimum upper end of the scale, so that small values look small. */
  readonly softMax?: number;
}

/** Panel with one current value. */
export interface Figure extends PanelBase {
  readonly kind: "figure";
  readonly unit: Unit;
  readonly thresholds: readonly Threshold[];
}

/** Panel with one bar per item over time, coloured by its state. */
export interface States extends PanelBase {
  readonly kind: "states";
  /** Text and colour of each value. */
  readonly words: Readonly<Record<string, { readonly text: string; readonly color: string }>>;
}

export type Panel = Curves | Figure | States;

/** Panels under a heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

type CurveOptions = Partial<Omit<Curves, "kind" | "title" | "unit" | "queries">>;

export function curves(title: string, unit: Unit, queries: Queries, options: CurveOptions = {}): Curves {
  const plain = { width: 12, stacked: false, thresholds: [], colors: {}, legend: "beside" } as const;
  return { kind: "curves", title, unit, queries, ...plain, ...options };
}

export function figure(
  title: string,
  unit: Unit,
  query: string,
  options: Partial<Pick<Figure, "description" | "thresholds" | "width">> = {},
): Figure {
  return { kind: "figure", title, unit, queries: { [title]: query }, width: 4, thresholds: [], ...options };
}

export function states(
  title: string,
  queries: Queries,
  words: States["words"],
  options: Partial<Pick<States, "description" | "width">> = {},
): States {
  return { kind: "states", title, queries, words, width: 12, ...options };
}

export function row(title: string, panels: readonly Panel[]): Row {
  return { title, panels };
}
