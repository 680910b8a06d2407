import { inputTotal, outputTotal, type Units } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { cacheWritesIn, countOf, unitsOf } from "../hub/counts.ts";
import type { JsonObject } from "../hub/request.ts";

/** `usage` of a response as disjoint units; undefined where it has no tokens. Never negative. */
export function responsesUsage(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const input = countOf(usage["input_tokens"]);
  const output = countOf(usage["output_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  const inputs = isRecord(usage["input_tokens_details"]) ? usage["input_tokens_details"] : {};
  const outputs = isRecord(usage["output_tokens_details"]) ? usage["output_tokens_details"] : {};
  const cachedInputTokens = countOf(inputs["cached_tokens"]) ?? 0;
  const cacheWriteTokens = countOf(inputs["cache_write_tokens"]) ?? 0;
  return unitsOf({
    inputTokens: Math.max(0, (input ?? 0) - cachedInputTokens - cacheWriteTokens),
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: output ?? 0,
    reasoningTokens: countOf(outputs["reasoning_tokens"]) ?? 0,
  });
}

/** Units as `usage`; audio and image tokens are in the totals, as this wire has no place of their own for them. */
export function renderUsage(units: Units): JsonObject {
  const input = inputTotal(units);
  const output = outputTotal(units);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: units.cachedInputTokens ?? 0,
      cache_write_tokens: cacheWritesIn(units) ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: units.reasoningTokens ?? 0 },
    total_tokens: input + output,
  };
}
