import type { Units } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { countOf, unitsOf } from "../../text/hub/counts.ts";

/** `usage` of an answer or an event as tokens; undefined where it tells none. */
export function readTokens(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const [input, output] = [countOf(usage["input_tokens"]), countOf(usage["output_tokens"])];
  if (input === undefined && output === undefined) return undefined;
  const details = usage["input_tokens_details"];
  const cached = isRecord(details) ? (countOf(details["cached_tokens"]) ?? 0) : 0;
  return unitsOf({
    inputTokens: Math.max(0, (input ?? 0) - cached),
    cachedInputTokens: cached,
    outputTokens: output ?? 0,
  });
}
