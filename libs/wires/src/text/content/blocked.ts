import { Failure } from "@modelgate/contracts";
import { asRecord, asRecords, type JsonRecord } from "@modelgate/formats/json";

/** Finish reasons of answers that no filter has blocked. */
const unblockedReasons: ReadonlySet<string> = new Set(["STOP", "MAX_TOKENS", "OTHER", "NO_IMAGE", "IMAGE_OTHER"]);

/** Returns the failure of an answer that the vendor's filters blocked, with the vendor's reason. */
export function blockedFailure({ promptFeedback, candidates }: JsonRecord, message: string): Failure | undefined {
  const blockReason = asRecord(promptFeedback)["blockReason"];
  const reason = typeof blockReason === "string" ? blockReason : finishReasonOf(candidates);
  if (reason === undefined || unblockedReasons.has(reason)) return undefined;
  return new Failure("upstream_rejected", message, { vendorCode: reason });
}

/**
 * Throws Failure if an answer was blocked or ends too early. An answer that has reached the maximum length is refused
 * (400), because a further call would end in the same way.
 */
export function requireCompleteAnswer(body: JsonRecord, blockedMessage: string): void {
  const blocked = blockedFailure(body, blockedMessage);
  if (blocked !== undefined) throw blocked;
  const reason = finishReasonOf(body["candidates"]);
  if (reason === undefined || reason === "STOP") return;
  const code = reason === "MAX_TOKENS" ? "upstream_rejected" : "upstream_error";
  throw new Failure(code, "The vendor's answer ends too early.", { vendorCode: reason });
}

function finishReasonOf(candidates: unknown): string | undefined {
  const reason = asRecords(candidates)[0]?.["finishReason"];
  return typeof reason === "string" ? reason : undefined;
}
