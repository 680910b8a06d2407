import type { Failure } from "@modelgate/contracts";
import type { JsonObject } from "@modelgate/wires/text";

/** Final states of a response, with their events. */
const finalEvents: Readonly<Record<string, string>> = {
  completed: "response.completed",
  incomplete: "response.incomplete",
  failed: "response.failed",
  cancelled: "response.cancelled",
};

/** Returns true for a response that has ended. */
export function isOver({ status }: JsonObject): boolean {
  return typeof status === "string" && status in finalEvents;
}

/** Returns the event that ends the stream of an ended response. */
export function finalEvent(response: JsonObject, sequence: number): string {
  const type = finalEvents[String(response["status"])] ?? "response.failed";
  return JSON.stringify({ type, sequence_number: sequence, response });
}

const finalTypes = new Set(Object.values(finalEvents));

/** Returns true for the last event of a response. */
export function isFinalEvent(event: string): boolean {
  return finalTypes.has(/^\{"type":"([\w.]+)"/.exec(event)?.[1] ?? "");
}

/** Returns the sequence number of a stored event. */
export function sequenceOf(event: string): number {
  return Number(/^\{"type":"[\w.]+","sequence_number":(\d+)/.exec(event)?.[1] ?? -1);
}

/** Returns a response that failed, with the reason. */
export function failedResponse(
  response: JsonObject,
  { message, status }: Pick<Failure, "message" | "status">,
): JsonObject {
  const code = status === 429 ? "rate_limit_exceeded" : "server_error";
  return { ...response, status: "failed", error: { code, message } };
}
