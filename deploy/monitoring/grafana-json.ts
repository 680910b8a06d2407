import type { Curves, Figure, Panel, Row, States, Threshold } from "./panels.ts";

const heights = { row: 1, curves: 8, figure: 4, states: 8 } as const;
const columns = 24;
const datasource = { type: "prometheus", uid: "${datasource}" } as const;

/** Renders a dashboard as JSON for Grafana. Panels are placed from left to right. */
export function dashboardJson(uid: string, title: string, rows: readonly Row[]): string {
  const panels: object[] = [];
  let y = 0;
  for (const { title: heading, panels: rowPanels } of rows) {
    const gridPos = { x: 0, y, w: columns, h: heights.row };
    panels.push({ id: panels.length + 1, type: "row", title: heading, collapsed: false, panels: [], gridPos });
    y += heights.row;
    for (const line of linesOf(rowPanels)) {
      const h = Math.max(...line.map(({ kind }) => heights[kind]));
      let x = 0;
      for (const panel of line) {
        panels.push({ id: panels.length + 1, gridPos: { x, y, w: panel.width, h }, ...panelJson(panel) });
        x += panel.width;
      }
      y += h;
    }
  }
  const dashboard = {
    uid,
    title,
    tags: ["modelgate"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    // Shows one shared line at the pointer in all panels.
    graphTooltip: 1,
    time: { from: "now-3h", to: "now" },
    timezone: "browser",
    templating: { list: [{ name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" }] },
    links: [{ type: "dashboards", tags: ["modelgate"], title: "modelgate", asDropdown: false, keepTime: true }],
    annotations: { list: [] },
    panels,
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

function linesOf(panels: readonly Panel[]): readonly (readonly Panel[])[] {
  const lines: Panel[][] = [];
  let left = 0;
  for (const panel of panels) {
    if (panel.width > left) {
      lines.push([]);
      left = columns;
    }
    lines.at(-1)?.push(panel);
    left -= panel.width;
  }
  return lines;
}

function panelJson(panel: Panel): object {
  const { title, description, queries } = panel;
  const { type, defaults, overrides, options } = bodyOf(panel);
  return {
    type,
    title,
    ...(description === undefined ? {} : { description }),
    datasource,
    fieldConfig: { defaults, overrides },
    options,
    targets: Object.entries(queries).map(([legendFormat, expr], index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource,
      expr,
      legendFormat,
      ...(panel.kind === "figure" ? { instant: true, range: false } : {}),
    })),
  };
}

interface Body {
  readonly type: string;
  readonly defaults: object;
  readonly overrides: readonly object[];
  readonly options: object;
}

function bodyOf(panel: Panel): Body {
  if (panel.kind === "curves") return curvesBody(panel);
  return panel.kind === "figure" ? figureBody(panel) : statesBody(panel);
}

function curvesBody({ unit, stacked, thresholds, colors, legend, softMax, whenEmpty }: Curves): Body {
  const right = { displayMode: "table", placement: "right", calcs: ["lastNotNull"], sortBy: "Last *", sortDesc: true };
  const below = { displayMode: "list", placement: "bottom", calcs: [] };
  return {
    type: "timeseries",
    defaults: {
      unit,
      min: 0,
      ...(whenEmpty === undefined ? {} : { noValue: whenEmpty }),
      custom: {
        fillOpacity: stacked ? 30 : 5,
        lineWidth: 1,
        showPoints: "never",
        stacking: { mode: stacked ? "normal" : "none", group: "A" },
        ...(softMax === undefined ? {} : { axisSoftMax: softMax }),
        ...(thresholds.length === 0 ? {} : { thresholdsStyle: { mode: "dashed" } }),
      },
      ...(thresholds.length === 0 ? {} : { thresholds: steps(thresholds) }),
    },
    overrides: Object.entries(colors).map(([pattern, fixedColor]) => ({
      matcher: { id: "byRegexp", options: pattern },
      properties: [{ id: "color", value: { mode: "shades", fixedColor } }],
    })),
    options: {
      legend: { showLegend: true, ...(legend === "right" ? right : below) },
      tooltip: { mode: "multi", sort: "desc" },
    },
  };
}

function figureBody({ unit, thresholds }: Figure): Body {
  return {
    type: "stat",
    defaults: { unit, thresholds: steps(thresholds), color: { mode: "thresholds" } },
    overrides: [],
    options: {
      colorMode: "value",
      graphMode: "none",
      justifyMode: "center",
      textMode: "value",
      reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
    },
  };
}

function statesBody({ words }: States): Body {
  const options = Object.fromEntries(
    Object.entries(words).map(([value, { text, color }], index) => [value, { text, color, index }]),
  );
  return {
    type: "state-timeline",
    defaults: { custom: { fillOpacity: 70, lineWidth: 0 }, mappings: [{ type: "value", options }] },
    overrides: [],
    options: {
      showValue: "never",
      rowHeight: 0.8,
      mergeValues: true,
      legend: { showLegend: true, displayMode: "list", placement: "bottom" },
      tooltip: { mode: "single" },
    },
  };
}

/** Returns Grafana's colour steps: green, then the colour of each threshold. */
function steps(thresholds: readonly Threshold[]): object {
  return {
    mode: "absolute",
    steps: [{ color: "green", value: null }, ...thresholds.map(({ from, color }) => ({ color, value: from }))],
  };
}
