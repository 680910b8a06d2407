/** Grafana's names of units. */
export type Unit = "reqps" | "percentunit" | "s" | "short" | "currencyUSD" | "bytes" | "cps" | "none";

/** Queries by the format of their legends, in which `{{label}}` is the label's value. */
export type Queries = Readonly<Record<string, string>>;

/** Value from which on a colour applies. */
export interface Threshold {
  readonly from: number;
  readonly color: "orange" | "red";
}

interface PanelBase {
  readonly title: string;
  /** Meaning of the values, and what to do about them. */
  readonly description?: string;
  readonly queries: Queries;
  /** Width in Grafana's 24 columns. */
  readonly width: number;
}

/** Panel with curves over time. */
export interface Curves extends PanelBase {
  readonly kind: "curves";
  readonly whenEmpty?: string;
  readonly unit: Unit;
  /** True if curves are stacked, because their sum is meaningful. */
  readonly stacked: boolean;
  /** Thresholds, each shown as a line. */
  readonly thresholds: readonly Threshold[];
  /** Colours of curves by patterns of their names. */
  readonly colors: Readonly<Record<string, string>>;
  /** Place of the legend: below for few curves, in a table on the right for many. */
  readonly legend: "below" | "right";
  /** Minimum upper end of the scale, so that small values look small. */
  readonly softMax?: number;
}

/** Panel with one current value. */
export interface Figure extends PanelBase {
  readonly kind: "figure";
  readonly unit: Unit;
  readonly thresholds: readonly Threshold[];
}

/** Panel with a coloured bar per item over time. */
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
  const plain = { width: 12, stacked: false, thresholds: [], colors: {}, legend: "right" } as const;
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
