import { creditSubject, taskSubject, usageSubject, type Area } from "@modelgate/contracts";
import type { ToldEvent } from "./entry.ts";

const areas: readonly Area[] = ["text", "media", "video", "audio", "realtime"];

/** The subject that an event is published under. */
export function subjectOf(event: ToldEvent): string {
  if ("kind" in event) return creditSubject(event.kind);
  if ("state" in event) return taskSubject(event.state);
  return usageSubject(areas.find((known) => known === event.area) ?? "edge");
}

/** The event's id; what was charged again tells of the same call once more, and is no repetition of what was told before. */
export function messageId(event: ToldEvent): string {
  const receipt = "receipt" in event ? event.receipt : undefined;
  return receipt?.replaces === undefined ? event.id : `${event.id}.${receipt.hash}`;
}
