/** Requests as the edge answered them. */
export const requests = "http_server_request_duration_seconds_count";
export const firstChunk = "gen_ai_client_operation_time_to_first_chunk_seconds";
export const perChunk = "gen_ai_client_operation_time_per_output_chunk_seconds";
export const duration = "gen_ai_client_operation_duration_seconds";

/** Legends: what a curve is called. */
export const model = "{{gen_ai_request_model}}";
export const process = "{{service}} {{instance}}";

/** Where the alerts on the objective of 99.9 % begin. */
export const burning = [
  { from: 0.006, color: "orange" },
  { from: 0.0144, color: "red" },
] as const;

/** How often a second something is counted, by some of its labels. */
export function rate(metric: string, by: string): string {
  return `sum by (${by}) (rate(${metric}[$__rate_interval]))`;
}

/** The share of 5xx among the edge's answers; where nothing fails it is 0, not nothing. */
export function failures(over: string): string {
  const of = (labels: string): string => `sum(rate(${requests}{${labels}}[${over}]))`;
  return `(${of('service=~"edge|gateway", http_response_status_code=~"5.."')} or vector(0)) / ${of('service=~"edge|gateway"')}`;
}

/** Below what 95 of 100 stay, by model. */
export function p95(metric: string): string {
  return `histogram_quantile(0.95, ${rate(`${metric}_bucket`, "le, gen_ai_request_model")})`;
}

/** Tokens a second that vendors reported or that were counted: `input` or `output`. */
export function tokens(type: "input" | "output"): string {
  return rate(`gen_ai_client_token_usage_sum{gen_ai_token_type="${type}"}`, "gen_ai_request_model");
}
