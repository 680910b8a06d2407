import { formatUsd, inputTotal, outputTotal, tokensIn, type UnitName, type Units } from "@modelgate/contracts";
import { traceIdOf, type Logger, type Redis, type RequestIds, type Span } from "@modelgate/platform";
import { observeCall, observeCapped, type CallSeen } from "./call-metrics.ts";
import { countCapped } from "@modelgate/channels";

/** Logs a call that has ended in one line, counts it in the metrics, and completes its span. */
export function logCall(log: Logger, span: Span | undefined, seen: CallSeen): void {
  const { draft, units, costNanos, tried, error } = seen;
  log.info(
    {
      requestId: draft.requestId,
      traceId: traceIdOf(span),
      callId: draft.id,
      upstreamRequestId: draft.upstreamRequestId,
      account: draft.accountId,
      token: draft.tokenId,
      endpoint: draft.endpoint,
      model: draft.model,
      channel: draft.channelId,
      status: draft.status,
      outcome: draft.outcome,
      error,
      ms: draft.latencyMs,
      firstByteMs: draft.firstByteMs,
      attempts: draft.attempts,
      // A call that succeeded at its first attempt is described by the members above.
      tried: tried.length > 1 || draft.outcome === "failed" ? tried : undefined,
      tokens: tokensIn(units),
      inputTokens: inputTotal(units),
      outputTokens: outputTotal(units),
      estimated: draft.estimated,
      costNanos: costNanos.toString(),
      costUsd: formatUsd(costNanos),
    },
    "call",
  );
  observeCall(seen);
  span?.set({
    "modelgate.call": draft.id,
    "modelgate.outcome": draft.outcome,
    "modelgate.error": error,
    "modelgate.upstream_request_id": draft.upstreamRequestId,
    "gen_ai.request.model": draft.model,
    "gen_ai.usage.input_tokens": units.inputTokens,
    "gen_ai.usage.output_tokens": units.outputTokens,
  });
}

/** A call that was billed for less than its vendor reported. */
export interface CappedCall extends RequestIds {
  readonly callId: string;
  readonly channel: string;
  readonly model: string;
  readonly capped: readonly UnitName[];
  readonly reported: Units;
}

/**
 * Reports such a call against its channel: the operator pays the difference between the vendor's charge and the bill.
 */
export function reportCapped({ log, redis }: { log: Logger; redis: Redis }, call: CappedCall): void {
  observeCapped(call);
  log.warn(call, "a vendor reported more than the call could use");
  countCapped(redis, call.channel).catch((error: unknown) =>
    log.warn(
      { err: error, requestId: call.requestId, traceId: call.traceId, callId: call.callId },
      "a capped call was not counted",
    ),
  );
}
