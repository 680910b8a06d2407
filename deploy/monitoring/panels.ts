/** Grafana's words for the units that are shown. */
export type Unit = "reqps" | "percentunit" | "s" | "short" | "currencyUSD" | "bytes" | "cps" | "none";

/** A query, by the form of its legend: `{{label}}` is the label's value. */
export type Queries = Readonly<Record<string, string>>;

/** From a value on, a colour. */
export interface Threshold {
  readonly from: number;
  readonly color: "orange" | "red";
}

/** What every panel has. */
interface Common {
  readonly title: string;
  /** Said where one points at the title: what the figure means, and what to do. */
  readonly description?: string;
  readonly queries: Queries;
  /** Of Grafana's 24 columns. */
  readonly width: number;
}

/** Curves over time. */
export interface Curves extends Common {
  readonly kind: "curves";
  /** What is written where there is nothing to show. */
  readonly whenEmpty?: string;
  readonly unit: Unit;
  /** Curves lie on each other: their sum means something. */
  readonly stacked: boolean;
  /** A line at each threshold. */
  readonly thresholds: readonly Threshold[];
  /** Colours of curves, by a pattern of their names. */
  readonly colors: Readonly<Record<string, string>>;
  /** One name in a line below; many in a table beside the curves, the largest first. */
  readonly legend: "below" | "beside";
  /** The scale goes up to here at least: what is almost nothing shall look like it. */
  readonly softMax?: number;
}

/** One figure as it is now. */
export interface Figure extends Common {
  readonly kind: "figure";
  readonly unit: Unit;
  readonly thresholds: readonly Threshold[];
}

/** A bar for each of many things, coloured by how it is. */
export interface States extends Common {
  readonly kind: "states";
  /** The words and colours of values. */
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
