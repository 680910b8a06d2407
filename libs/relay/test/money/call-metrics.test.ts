import { expect, test } from "vitest";
import type { Units, UsageDraft } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import { logCall } from "../../src/money/call-metrics.ts";

const draft: UsageDraft = {
  id: "call_1",
  time: "2026-11-26T00:00:00Z",
  requestId: "req-1",
  accountId: "acc_1",
  tokenId: "tok_1",
  group: "default",
  area: "text",
  endpoint: "POST /v1/chat/completions",
  model: "fast",
  upstreamModel: "fast-1",
  channelId: "one",
  status: 200,
  outcome: "completed",
  units: {},
  estimated: false,
  multiplier: 1,
  latencyMs: 12,
  firstByteMs: 5,
  attempts: 1,
};

test.each<[string, Units, object]>([
  [
    "tokens of all kinds are input",
    {
      inputTokens: 10,
      cachedInputTokens: 30,
      cacheWriteTokens: 4,
      cacheWrite1hTokens: 1,
      outputTokens: 7,
      reasoningTokens: 5,
    },
    {
      "gen_ai.usage.input_tokens": 45,
      "gen_ai.usage.output_tokens": 7,
      "gen_ai.usage.cache_read.input_tokens": 30,
      "gen_ai.usage.cache_creation.input_tokens": 5,
      "gen_ai.usage.reasoning.output_tokens": 5,
    },
  ],
  ["no cache", { inputTokens: 10 }, { "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 0 }],
])("the span of a call has OpenTelemetry's attributes and its cost: %s", (_, units, expected) => {
  const attributes = new Map<string, unknown>();
  const span = {
    traceparent: undefined,
    set: (more: object) =>
      Object.entries(more).forEach(([name, value]) => value === undefined || attributes.set(name, value)),
    end: () => undefined,
  };
  logCall(createLogger("test", "silent").log, span, {
    draft,
    kind: "chat",
    provider: "azure",
    units,
    costNanos: 2_500_000n,
    tried: [],
  });
  expect(Object.fromEntries(attributes)).toEqual({
    "modelgate.call": "call_1",
    "modelgate.outcome": "completed",
    "modelgate.cost_usd": 0.0025,
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "azure.ai.openai",
    "gen_ai.request.model": "fast",
    "gen_ai.response.model": "fast-1",
    ...expected,
  });
});
