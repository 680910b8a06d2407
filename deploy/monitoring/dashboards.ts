import { panel, row, type Panel, type Row } from "./panels.ts";

const edge = 'service="edge"';
const quantile = (of: number, metric: string, by: string): string =>
  `histogram_quantile(${of}, sum by (le, ${by}) (rate(${metric}_bucket[$__rate_interval])))`;

/** What an operator looks at first: do requests pass, how long do they take, what do they cost. */
const calls: readonly Row[] = [
  row("Requests", [
    panel("Requests per second", "reqps", {
      "{{http_route}}": `sum by (http_route) (rate(http_server_request_duration_seconds_count{${edge}}[$__rate_interval]))`,
    }),
    panel("Share of failures (5xx)", "percentunit", {
      failures: `(sum(rate(http_server_request_duration_seconds_count{${edge}, http_response_status_code=~"5.."}[$__rate_interval])) or vector(0)) / sum(rate(http_server_request_duration_seconds_count{${edge}}[$__rate_interval]))`,
    }),
    panel("Answers by status", "reqps", {
      "{{http_response_status_code}}": `sum by (http_response_status_code) (rate(http_server_request_duration_seconds_count{${edge}}[$__rate_interval]))`,
    }),
    panel("Limiter", "reqps", {
      "{{decision}}": "sum by (decision) (rate(modelgate_limiter_decisions_total[$__rate_interval]))",
    }),
  ]),
  row("Models", [
    panel("Time to first chunk, p95", "s", {
      "{{gen_ai_request_model}}": quantile(
        0.95,
        "gen_ai_client_operation_time_to_first_chunk_seconds",
        "gen_ai_request_model",
      ),
    }),
    panel("Time per chunk, p95", "s", {
      "{{gen_ai_request_model}}": quantile(
        0.95,
        "gen_ai_client_operation_time_per_output_chunk_seconds",
        "gen_ai_request_model",
      ),
    }),
    panel("Duration of calls, p95", "s", {
      "{{gen_ai_request_model}}": quantile(0.95, "gen_ai_client_operation_duration_seconds", "gen_ai_request_model"),
    }),
    panel("Tokens per second", "short", {
      "{{gen_ai_request_model}} {{gen_ai_token_type}}":
        "sum by (gen_ai_request_model, gen_ai_token_type) (rate(gen_ai_client_token_usage_sum[$__rate_interval]))",
    }),
    panel("Dollars per hour", "currencyUSD", {
      "{{gen_ai_request_model}}":
        "3600 * sum by (gen_ai_request_model) (rate(modelgate_cost_usd_total[$__rate_interval]))",
    }),
    panel("Outcomes", "reqps", {
      "{{outcome}}": "sum by (outcome) (rate(modelgate_calls_total[$__rate_interval]))",
    }),
  ]),
];

/** What an operator looks at when something is wrong: the parts, and what waits in them. */
const parts: readonly Row[] = [
  row("Channels", [
    panel("Attempts by result", "reqps", {
      "{{channel}} {{result}}": "sum by (channel, result) (rate(modelgate_channel_attempts_total[$__rate_interval]))",
    }),
    panel("Resting or switched off", "short", {
      "{{place}} {{state}}": "max by (place, state) (modelgate_channel_state)",
    }),
  ]),
  row("Money", [
    panel("Open holds", "short", { holds: "max(modelgate_holds_open)" }),
    panel("Events that wait for NATS", "short", { events: "max(modelgate_outbox_events)" }),
    panel("Left behind, and found", "short", {
      "holds swept": "sum(rate(modelgate_holds_swept_total[$__rate_interval]))",
      "events published by the ledger": "sum(rate(modelgate_events_published_total[$__rate_interval]))",
      "usage counted": "sum(rate(modelgate_usage_counted_total[$__rate_interval]))",
    }),
    panel("Leases held", "short", { "{{service}} {{of}}": "sum by (service, of) (modelgate_leases_held)" }),
  ]),
  row("Processes", [
    panel("CPU", "percentunit", {
      "{{service}} {{instance}}": "sum by (service, instance) (rate(process_cpu_seconds_total[$__rate_interval]))",
    }),
    panel("Memory", "bytes", {
      "{{service}} {{instance}}": "max by (service, instance) (process_resident_memory_bytes)",
    }),
    panel("Event loop, p99", "s", {
      "{{service}} {{instance}}": "max by (service, instance) (nodejs_eventloop_lag_p99_seconds)",
    }),
    panel("Open requests and streams", "short", {
      "{{service}} requests": "sum by (service) (http_server_active_requests)",
      "{{service}} streams": "sum by (service) (modelgate_open_streams)",
    }),
    panel("Bodies and answers held", "bytes", { "{{service}}": "sum by (service) (modelgate_buffer_bytes)" }),
    panel("Stores", "short", { "{{service}} {{store}}": "min by (service, store) (modelgate_store_up)" }),
  ]),
];

/** The dashboards as files for Grafana, by their name. */
export function dashboards(): ReadonlyMap<string, string> {
  return new Map([
    ["calls.json", print("modelgate-calls", "modelgate: calls", calls)],
    ["parts.json", print("modelgate-parts", "modelgate: parts", parts)],
  ]);
}

/** Panels stand three in a row of Grafana's 24 columns. */
const size = { w: 8, h: 8, inRow: 3 } as const;

function print(uid: string, title: string, rows: readonly Row[]): string {
  const panels: object[] = [];
  let y = 0;
  for (const { title: heading, panels: own } of rows) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title: heading,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: 24, h: 1 },
    });
    for (const [at, one] of own.entries()) panels.push(placed(one, panels.length + 1, at, y + 1));
    y += 1 + Math.ceil(own.length / size.inRow) * size.h;
  }
  const dashboard = {
    uid,
    title,
    tags: ["modelgate"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    timezone: "browser",
    templating: { list: [{ name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" }] },
    annotations: { list: [] },
    panels,
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

function placed({ title, unit, queries }: Panel, id: number, at: number, y: number): object {
  const datasource = { type: "prometheus", uid: "${datasource}" };
  return {
    id,
    type: "timeseries",
    title,
    datasource,
    gridPos: { x: (at % size.inRow) * size.w, y: y + Math.floor(at / size.inRow) * size.h, w: size.w, h: size.h },
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: "never" } }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    targets: Object.entries(queries).map(([legendFormat, expr], index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource,
      expr,
      legendFormat,
    })),
  };
}
