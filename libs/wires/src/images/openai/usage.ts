import type { Units } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { countOf, unitsOf } from "../../text/hub/counts.ts";

/**
 * `usage` of an answer or an event as tokens; undefined without any. Input counts as text unless it is said to
 * be images; output counts as images unless it is said to be text.
 */
export function readTokens(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const [input, output] = [countOf(usage["input_tokens"]), countOf(usage["output_tokens"])];
  if (input === undefined && output === undefined) return undefined;
  const [read, made] = [detailsOf(usage["input_tokens_details"]), detailsOf(usage["output_tokens_details"])];
  const cached = Math.min(read("cached_tokens"), input ?? 0);
  const images = Math.min(read("image_tokens"), (input ?? 0) - cached);
  const words = Math.min(made("text_tokens"), output ?? 0);
  return unitsOf({
    inputTokens: (input ?? 0) - cached - images,
    cachedInputTokens: cached,
    inputImageTokens: images,
    outputTokens: words,
    outputImageTokens: (output ?? 0) - words,
  });
}

function detailsOf(details: unknown): (name: string) => number {
  return (name) => (isRecord(details) ? (countOf(details[name]) ?? 0) : 0);
}
