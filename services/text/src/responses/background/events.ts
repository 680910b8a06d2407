import type { JsonObject } from "@modelgate/wires/text";

/** Statuses of a response or an interaction that has not ended. */
const openStates: ReadonlySet<unknown> = new Set(["queued", "in_progress"]);

export function hasEnded({ status }: JsonObject): boolean {
  return typeof status === "string" && !openStates.has(status);
}

/** Matches the beginning of a stored event, with its type and its sequence number. */
const beginning = /^\{"(?:event_)?type":"([\w.]+)",(?:"sequence_number":|"event_id":")(\d+)/;

const finalTypes = /^(?:response\.(?:completed|incomplete|failed|cancelled)|interaction\.completed)$/;

/** Returns the type of a stored event; "message" if it has none. */
export function typeOf(event: string): string {
  return beginning.exec(event)?.[1] ?? "message";
}

export function isFinalEvent(event: string): boolean {
  return finalTypes.test(typeOf(event));
}

/** Returns the sequence number of a stored event; -1 if it has none. */
export function sequenceOf(event: string): number {
  return Number(beginning.exec(event)?.[2] ?? -1);
}
