import { Failure, type Units } from "@modelgate/contracts";
import { asText, ownEntry } from "../../json/fields.ts";
import type { ReportedExtraUsage } from "../fees.ts";
import type { FinishReason, TextEvent } from "./answer.ts";
import type { Part } from "./part.ts";

export const notJsonFailure: readonly TextEvent[] = [
  { type: "failure", code: "invalid_json", message: "The vendor's stream is not JSON." },
];

/** Returns events for the usage and the charges that a frame reports; empty if it reports none. */
export function reportEvents(usage: Units | undefined, fees: ReportedExtraUsage | undefined): readonly TextEvent[] {
  return [
    ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
    ...(fees === undefined ? [] : [{ type: "fees", fees } as const]),
  ];
}

/** Translates a vendor's finish reason; `kinds` are the answer's kinds of parts. An unknown reason is a normal end. */
export function parseFinishReason(
  reasons: Readonly<Record<string, FinishReason>>,
  finishReason: unknown,
  kinds: ReadonlySet<Part["kind"]>,
): FinishReason {
  const reason = typeof finishReason === "string" ? ownEntry(reasons, finishReason) : undefined;
  return reason ?? (kinds.has("tool-call") ? "tool-calls" : "stop");
}

/** Parses a time written as a date to Unix seconds; 0 for anything else. */
export function parseTime(date: unknown): number {
  const milliseconds = Date.parse(asText(date));
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1_000);
}

/** Reads `part` of a vendor's answer, which is named in the message. Throws Failure upstream_error if it is unreadable. */
export function readAnswerPart<Result>(part: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new Failure("upstream_error", `The vendor's answer has ${part} that cannot be read.`, { cause });
  }
}

export function isEmptyText(part: Part): boolean {
  return (part.kind === "text" || part.kind === "reasoning") && part.text === "" && part.signature === undefined;
}
