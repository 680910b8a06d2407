import {
  creditSubject,
  taskSubject,
  usageSubject,
  type Area,
  type CreditEvent,
  type KeptTaskEvent,
  type UsageEvent,
} from "@modelgate/contracts";

/** An event that is published through the outbox: a settled call, a task's transition, or a change of a balance. */
export type OutboxEvent = UsageEvent | KeptTaskEvent | CreditEvent;

/** An event that is in the outbox, and its text: it is written once for all that it is sent to. */
export interface WrittenEntry {
  readonly entry: OutboxEntry;
  readonly text: string;
}

/** An event that is in the outbox. */
export interface OutboxEntry<Event extends OutboxEvent = OutboxEvent> {
  readonly shard: string;
  readonly entryId: string;
  readonly event: Event;
}

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
