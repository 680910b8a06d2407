/** Metric of answered requests. Its label `service` names the service that answered. */
export const requests = "http_server_request_duration_seconds_count";
export const firstChunk = "gen_ai_client_operation_time_to_first_chunk_seconds";
export const perChunk = "gen_ai_client_operation_time_per_output_chunk_seconds";
export const duration = "gen_ai_client_operation_duration_seconds";

/** Legends with the model, and with the service and process. */
export const modelLegend = "{{gen_ai_request_model}}";
export const processLegend = "{{service}} {{instance}}";

/** Thresholds of the alerts for the objective of 99.9 %. */
export const burnRateThresholds = [
  { from: 0.006, color: "orange" },
  { from: 0.0144, color: "red" },
] as const;

/** Returns the query of a counter's rate per second by labels. */
export function rate(metric: string, by: string): string {
  return `sum by (${by}) (rate(${metric}[$__rate_interval]))`;
}

/** Returns the query of the edge's share of answers that count as failures (`rules.yaml`), or 0. */
export function failures(window: string): string {
  const rateOfRequests = (labels: string): string => `sum(rate(${requests}{${labels}}[${window}]))`;
  return `(${rateOfRequests('service=~"edge|gateway", http_response_status_code=~"5..", http_response_status_code!="501"')} or vector(0)) / ${rateOfRequests('service=~"edge|gateway"')}`;
}

/** Returns the query of a metric's 95th percentile by model. */
export function p95(metric: string): string {
  return `histogram_quantile(0.95, ${rate(`${metric}_bucket`, "le, gen_ai_request_model")})`;
}

/** Returns the query of tokens per second, reported by vendors or counted by the gateway. */
export function tokens(type: "input" | "output"): string {
  return rate(`gen_ai_client_token_usage_sum{gen_ai_token_type="${type}"}`, "gen_ai_request_model");
}
