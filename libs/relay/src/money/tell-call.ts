import { tokensIn } from "@modelgate/contracts";
import type { Logger, Span } from "@modelgate/platform";
import { observeCall, type CallSeen } from "./call-metrics.ts";

/** Tells of a call that is over: its one log line, its metrics, and its part of the trace. */
export function tellCall(log: Logger, span: Span | undefined, seen: CallSeen): void {
  const { draft, units, costNanos } = seen;
  log.info(
    {
      requestId: draft.requestId,
      callId: draft.id,
      account: draft.accountId,
      token: draft.tokenId,
      endpoint: draft.endpoint,
      model: draft.model,
      channel: draft.channelId,
      status: draft.status,
      outcome: draft.outcome,
      ms: draft.latencyMs,
      firstByteMs: draft.firstByteMs,
      attempts: draft.attempts,
      tokens: tokensIn(units),
      estimated: draft.estimated,
      costNanos: costNanos.toString(),
    },
    "call",
  );
  observeCall(seen);
  span?.set({
    "modelgate.call": draft.id,
    "modelgate.outcome": draft.outcome,
    "gen_ai.request.model": draft.model,
    "gen_ai.usage.input_tokens": units.inputTokens,
    "gen_ai.usage.output_tokens": units.outputTokens,
  });
}
