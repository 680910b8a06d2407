/** A panel with one curve a query: the legend's form, and the query. */
export interface Panel {
  readonly title: string;
  /** Grafana's word for the unit. */
  readonly unit: string;
  readonly queries: Readonly<Record<string, string>>;
}

/** Panels under a heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export function panel(title: string, unit: string, queries: Panel["queries"]): Panel {
  return { title, unit, queries };
}

export function row(title: string, panels: readonly Panel[]): Row {
  return { title, panels };
}
