import { creditSubject, taskSubject, usageSubject, type Area } from "@modelgate/contracts";
import type { OutboxEvent } from "./entry.ts";

const areas: readonly Area[] = ["text", "media", "video", "audio", "realtime"];

/** The subject that an event is published under. */
export function subjectOf(event: OutboxEvent): string {
  if ("kind" in event) return creditSubject(event.kind);
  if ("state" in event) return taskSubject(event.state);
  return usageSubject(areas.find((known) => known === event.area) ?? "edge");
}

/** The event's id; a call that was charged again has a new event, which is not a duplicate of the first. */
export function messageId(event: OutboxEvent): string {
  const receipt = "receipt" in event ? event.receipt : undefined;
  return receipt?.replaces === undefined ? event.id : `${event.id}.${receipt.hash}`;
}
