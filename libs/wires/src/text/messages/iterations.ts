import { asRecords, type JsonRecord } from "@modelgate/formats/json";
import type { ReportedExtraUsage, ReportedIteration } from "../fees.ts";
import { parseCount } from "../hub/counts.ts";
import { unitsOfTokens } from "./usage.ts";

/** Maximum number of iterations that are read. No known answer has so many. */
const maxIterations = 32;

/**
 * Reads `usage.iterations`: the model that answered after the requested one declined, and tokens that the usage leaves
 * out. These are the tokens of compactions and advisors, and of models that declined after some output. A model that
 * declined before any output is not charged.
 */
export function messagesIterations(usage: JsonRecord): Pick<ReportedExtraUsage, "answeredBy" | "iterations"> {
  const { iterations } = usage;
  if (!Array.isArray(iterations)) return {};
  const entries = asRecords(iterations.slice(0, maxIterations));
  const answeredBy = modelOf(entries.findLast(({ type }) => type === "fallback_message"));
  const declined = entries.filter((entry) => isDeclined(entry, answeredBy));
  const others = [
    ...entries.filter(({ type }) => type === "compaction" || type === "advisor_message"),
    ...(isInTotal(declined, entries, usage) ? [] : declined),
  ];
  return {
    answeredBy,
    iterations: others.flatMap((entry): readonly ReportedIteration[] => {
      const units = unitsOfTokens(entry);
      return units === undefined ? [] : [{ model: modelOf(entry), units }];
    }),
  };
}

function modelOf(entry: JsonRecord | undefined): string | undefined {
  const model = entry?.["model"];
  return typeof model === "string" ? model : undefined;
}

function isDeclined(entry: JsonRecord, answeredBy: string | undefined): boolean {
  const model = modelOf(entry);
  return (
    answeredBy !== undefined &&
    entry["type"] === "message" &&
    model !== undefined &&
    model !== answeredBy &&
    outputOf(entry) > 0
  );
}

function isInTotal(declined: readonly JsonRecord[], entries: readonly JsonRecord[], usage: JsonRecord): boolean {
  if (declined.length === 0) return false;
  const messages = entries.filter(({ type }) => type === "message" || type === "fallback_message");
  return outputOf(usage) >= messages.reduce((sum, entry) => sum + outputOf(entry), 0);
}

function outputOf(counts: JsonRecord): number {
  return parseCount(counts["output_tokens"]) ?? 0;
}
