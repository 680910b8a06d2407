import type { Failure } from "@modelgate/contracts";
import type { JsonObject } from "@modelgate/wires/text";

/** States that a response does not leave any more, with the event that says so. */
const finalEvents: Readonly<Record<string, string>> = {
  completed: "response.completed",
  incomplete: "response.incomplete",
  failed: "response.failed",
  cancelled: "response.cancelled",
};

/** Returns true for a response that is over. */
export function isOver({ status }: JsonObject): boolean {
  return typeof status === "string" && status in finalEvents;
}

/** The event that ends the stream of a response that is over. */
export function finalEvent(response: JsonObject, sequence: number): string {
  const type = finalEvents[String(response["status"])] ?? "response.failed";
  return JSON.stringify({ type, sequence_number: sequence, response });
}

const finalTypes = new Set(Object.values(finalEvents));

/** Returns true for an event that nothing follows. */
export function isFinalEvent(event: string): boolean {
  return finalTypes.has(/^\{"type":"([\w.]+)"/.exec(event)?.[1] ?? "");
}

/** The number of an event that was kept. */
export function sequenceOf(event: string): number {
  return Number(/^\{"type":"[\w.]+","sequence_number":(\d+)/.exec(event)?.[1] ?? -1);
}

/** A response that was not made, and why. */
export function failedResponse(
  response: JsonObject,
  { message, status }: Pick<Failure, "message" | "status">,
): JsonObject {
  const code = status === 429 ? "rate_limit_exceeded" : "server_error";
  return { ...response, status: "failed", error: { code, message } };
}
