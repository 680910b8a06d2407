import type { Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { countOf } from "../../text/hub/counts.ts";

/** `usage` of an answer: input tokens only; some vendors report nothing but the total. */
export function readUsage({ usage }: JsonRecord): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const inputTokens = countOf(usage["prompt_tokens"]) ?? countOf(usage["total_tokens"]);
  return inputTokens === undefined ? undefined : { inputTokens };
}

export function renderUsage({ inputTokens = 0 }: Units): JsonRecord {
  return { prompt_tokens: inputTokens, total_tokens: inputTokens };
}
