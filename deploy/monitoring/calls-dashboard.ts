import { curves, figure, row, type Row } from "./panels.ts";
import {
  burnRateThresholds,
  duration,
  failures,
  firstChunk,
  modelLegend,
  p95,
  perChunk,
  rate,
  requests,
  tokens,
} from "./queries.ts";

/** Rows of the first dashboard for operators: success, duration and cost of requests. */
export const callsRows: readonly Row[] = [
  row("Now", [
    figure("Requests per second", "reqps", `sum(rate(${requests}{service=~"edge|gateway"}[5m]))`),
    figure("Failures, last hour", "percentunit", failures("1h"), {
      description:
        "Answers with 5xx except 501. Orange and red mark the thresholds of the alerts on the objective of 99.9 %.",
      thresholds: burnRateThresholds,
    }),
    figure("First chunk, p95", "s", `histogram_quantile(0.95, sum by (le) (rate(${firstChunk}_bucket[5m])))`),
    figure("Open streams", "short", "sum(modelgate_open_streams)"),
    figure("Tokens per second", "short", "sum(rate(gen_ai_client_token_usage_sum[5m]))"),
    figure("Dollars per hour", "currencyUSD", "3600 * sum(rate(modelgate_cost_usd_total[5m]))"),
  ]),
  row("Requests", [
    curves(
      "Requests by endpoint",
      "reqps",
      { "{{http_route}}": rate(`${requests}{service=~"edge|gateway"}`, "http_route") },
      { stacked: true },
    ),
    curves(
      "Answers by status",
      "reqps",
      { "{{http_response_status_code}}": rate(`${requests}{service=~"edge|gateway"}`, "http_response_status_code") },
      { stacked: true, colors: { "/^[123]/": "green", "/^4/": "orange", "/^5/": "red" } },
    ),
    curves(
      "Share of failures (5xx)",
      "percentunit",
      { failures: failures("$__rate_interval") },
      {
        description: "The dashed lines are the thresholds of the alerts.",
        thresholds: burnRateThresholds,
        colors: { failures: "red" },
        legend: "below",
      },
    ),
    curves(
      "Decisions of the limiter",
      "reqps",
      { "{{decision}}": rate("modelgate_limiter_decisions_total", "decision") },
      { description: "Admitted calls, and refused calls by reason.", stacked: true, colors: { admitted: "green" } },
    ),
  ]),
  row("Models", [
    curves("Time to first chunk, p95", "s", { [modelLegend]: p95(firstChunk) }),
    curves("Time per chunk, p95", "s", { [modelLegend]: p95(perChunk) }),
    curves("Duration of calls, p95", "s", { [modelLegend]: p95(duration) }),
    curves(
      "Calls by outcome",
      "reqps",
      { "{{outcome}}": rate("modelgate_calls_total", "outcome") },
      { stacked: true, colors: { completed: "green", failed: "red", client_closed: "orange" } },
    ),
    curves("Input tokens per second", "short", { [modelLegend]: tokens("input") }, { stacked: true }),
    curves("Output tokens per second", "short", { [modelLegend]: tokens("output") }, { stacked: true }),
    curves(
      "Dollars per hour",
      "currencyUSD",
      { [modelLegend]: `3600 * ${rate("modelgate_cost_usd_total", "gen_ai_request_model")}` },
      { stacked: true },
    ),
    curves(
      "Calls whose usage is estimated, capped, or has no price",
      "reqps",
      {
        "{{gen_ai_request_model}} estimated": rate("modelgate_calls_estimated_total", "gen_ai_request_model"),
        "{{model}} {{unit}} unpriced": rate("modelgate_usage_unpriced_total", "model, unit"),
        "{{channel}} {{unit}} capped": rate("modelgate_usage_capped_total", "channel, unit"),
      },
      { whenEmpty: "none" },
    ),
  ]),
];
