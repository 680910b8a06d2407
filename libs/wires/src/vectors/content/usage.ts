import type { Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { countOf } from "../../text/hub/counts.ts";

/** `usageMetadata` of an answer; older models report none. */
export function readUsage({ usageMetadata: usage }: JsonRecord): Units | undefined {
  const inputTokens = isRecord(usage) ? countOf(usage["promptTokenCount"]) : undefined;
  return inputTokens === undefined ? undefined : { inputTokens };
}

export function renderUsage(usage: Units | undefined): JsonRecord | undefined {
  return usage === undefined ? undefined : { promptTokenCount: usage.inputTokens ?? 0 };
}
