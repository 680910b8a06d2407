import {
  formatUsd,
  totalInputTokens,
  totalOutputTokens,
  type ModelKind,
  type Nanos,
  type UnitName,
  type Units,
  type UsageDraft,
} from "@modelgate/contracts";
import { countCappedUsage, providerNameOf, type AttemptReport } from "@modelgate/channels";
import {
  Counter,
  Gauge,
  SeriesCounter,
  SeriesHistogram,
  traceIdOf,
  type Logger,
  type Redis,
  type RequestIds,
  type Span,
  type ValueSeries,
} from "@modelgate/platform";

const labels = ["gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"] as const;
type CallLabels = Readonly<Record<(typeof labels)[number], string>>;
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

const duration = new SeriesHistogram({
  name: "gen_ai_client_operation_duration_seconds",
  help: "Duration of calls.",
  labelNames: [...labels, "error_type"],
  buckets: seconds,
});
const firstChunk = new SeriesHistogram({
  name: "gen_ai_client_operation_time_to_first_chunk_seconds",
  help: "Time from the start of a streamed call to the vendor's first chunk.",
  labelNames: labels,
  buckets: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30],
});
const perChunk = new SeriesHistogram({
  name: "gen_ai_client_operation_time_per_output_chunk_seconds",
  help: "Time between two chunks of a stream.",
  labelNames: labels,
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
});
const tokenUsage = new SeriesHistogram({
  name: "gen_ai_client_token_usage",
  help: "Tokens of calls.",
  labelNames: [...labels, "gen_ai_token_type"],
  buckets: Array.from({ length: 14 }, (_, power) => 4 ** power),
});
const calls = new SeriesCounter({
  name: "modelgate_calls_total",
  help: "Settled calls.",
  labelNames: ["endpoint", "outcome"],
});
const cost = new SeriesCounter({
  name: "modelgate_cost_usd_total",
  help: "Cost of calls in US dollars, rounded; the books have the exact amounts.",
  labelNames: ["gen_ai_request_model"],
});
const estimatedCalls = new SeriesCounter({
  name: "modelgate_calls_estimated_total",
  help: "Calls whose vendor reported no usage.",
  labelNames: ["gen_ai_request_model"],
});
const cappedCalls = new Counter({
  name: "modelgate_usage_capped_total",
  help: "Calls whose vendor reported or sent more than the call can have used; the excess was not billed.",
  labelNames: ["channel", "model", "unit"],
});
/** Counts settlements that found no hold. */
export const holdsNotFound = new Counter({
  name: "modelgate_holds_not_found_total",
  help: "Settlements that found no hold: it was settled before, or Redis has lost it.",
});
/** Number of vendor answers that are read after their clients disconnected. */
export const detachedAnswerCount = new Gauge({
  name: "modelgate_detached_answers",
  help: "Answers that are read to the end after the client disconnected.",
});
const openStreams = new Gauge({ name: "modelgate_open_streams", help: "Open streams." });

/** OpenTelemetry's names of operations that differ from the model's kind. */
const operations: Readonly<Partial<Record<ModelKind, string>>> = { embedding: "embeddings" };

/** A call that has ended, for its log line, metrics and span. */
export interface EndedCall {
  readonly draft: UsageDraft;
  readonly kind: ModelKind;
  /** Absent if no request was sent. */
  readonly provider: string | undefined;
  readonly units: Units;
  readonly costNanos: Nanos;
  readonly tried: readonly AttemptReport[];
  readonly error?: string | undefined;
}

/** Functions that `logCall` calls with each ended call, for further metrics. */
export const callObservers = new Set<(seen: EndedCall) => void>();

/** Logs an ended call, and adds it to the metrics and to its span. */
export function logCall(log: Logger, span: Span | undefined, seen: EndedCall): void {
  const { draft, kind, provider, units, costNanos, tried, error } = seen;
  const { endpoint, outcome, status, model, latencyMs } = draft;
  const [input, output] = [totalInputTokens(units), totalOutputTokens(units)];
  const cacheWrites = (units.cacheWriteTokens ?? 0) + (units.cacheWrite1hTokens ?? 0);
  log.info(
    {
      requestId: draft.requestId,
      traceId: traceIdOf(span),
      callId: draft.id,
      upstreamRequestId: draft.upstreamRequestId,
      account: draft.accountId,
      token: draft.tokenId,
      endpoint,
      model,
      channel: draft.channelId,
      status,
      outcome,
      error,
      ms: latencyMs,
      firstByteMs: draft.firstByteMs,
      attempts: draft.attempts,
      // Omitted if the first attempt answered, because the members above describe it.
      tried: tried.length > 1 || outcome === "failed" ? tried : undefined,
      tokens: input + output,
      inputTokens: input,
      outputTokens: output,
      estimated: draft.estimated,
      costNanos: costNanos.toString(),
      costUsd: formatUsd(costNanos),
    },
    "call",
  );
  const labelValues = labelsOf(kind, provider, model);
  calls.inc({ endpoint, outcome });
  const errorType = outcome === "completed" ? "" : `${outcome}_${status}`;
  duration.series({ ...labelValues, error_type: errorType }).observe(latencyMs / 1_000);
  if (input > 0) tokenUsage.series({ ...labelValues, gen_ai_token_type: "input" }).observe(input);
  if (output > 0) tokenUsage.series({ ...labelValues, gen_ai_token_type: "output" }).observe(output);
  cost.inc({ gen_ai_request_model: model }, Number(costNanos) / 1e9);
  if (draft.estimated) estimatedCalls.inc({ gen_ai_request_model: model });
  for (const observe of callObservers) observe(seen);
  span?.set({
    "modelgate.call": draft.id,
    "modelgate.outcome": outcome,
    "modelgate.error": error,
    "modelgate.upstream_request_id": draft.upstreamRequestId,
    "modelgate.cost_usd": Number(costNanos) / 1e9,
    "gen_ai.operation.name": labelValues.gen_ai_operation_name,
    "gen_ai.provider.name": labelValues.gen_ai_provider_name,
    "gen_ai.request.model": model,
    "gen_ai.response.model": outcome === "failed" || draft.upstreamModel === "" ? undefined : draft.upstreamModel,
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": output,
    "gen_ai.usage.cache_read.input_tokens": units.cachedInputTokens,
    "gen_ai.usage.cache_creation.input_tokens": cacheWrites === 0 ? undefined : cacheWrites,
    "gen_ai.usage.reasoning.output_tokens": units.reasoningTokens,
  });
}

/** A call that is billed for less than its vendor reported, because the report is implausible. */
export interface CappedCall extends RequestIds {
  readonly callId: string;
  readonly channel: string;
  readonly model: string;
  readonly capped: readonly UnitName[];
  readonly reported: Units;
}

/** Logs a capped call and counts it against its channel. */
export function reportCapped({ log, redis }: { log: Logger; redis: Redis }, call: CappedCall): void {
  for (const unit of call.capped) cappedCalls.inc({ channel: call.channel, model: call.model, unit });
  log.warn(call, "a vendor reported more than the call could use");
  countCappedUsage(redis, call.channel).catch((error: unknown) =>
    log.warn(
      { err: error, requestId: call.requestId, traceId: call.traceId, callId: call.callId },
      "a capped call was not counted",
    ),
  );
}

/** Measures one stream: the time to its first chunk, and the intervals between further chunks. */
export class StreamTimer implements Disposable {
  readonly #perChunk: ValueSeries;
  #last = performance.now();
  #open = true;

  constructor(kind: ModelKind, provider: string, model: string, firstByteMs: number) {
    const labelValues = labelsOf(kind, provider, model);
    this.#perChunk = perChunk.series(labelValues);
    firstChunk.series(labelValues).observe(firstByteMs / 1_000);
    openStreams.inc();
  }

  recordChunk(): void {
    const now = performance.now();
    this.#perChunk.observe((now - this.#last) / 1_000);
    this.#last = now;
  }

  [Symbol.dispose](): void {
    if (this.#open) openStreams.dec();
    this.#open = false;
  }
}

function labelsOf(kind: ModelKind, provider: string | undefined, model: string): CallLabels {
  return {
    gen_ai_operation_name: operations[kind] ?? kind,
    gen_ai_provider_name: provider === undefined ? "none" : providerNameOf(provider),
    gen_ai_request_model: model,
  };
}
