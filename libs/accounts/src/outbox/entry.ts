import type { CreditEvent, KeptTaskEvent, UsageEvent } from "@modelgate/contracts";

/** What is published through the outbox: a settled call, a task's transition, or a change of a balance. */
export type OutboxEvent = UsageEvent | KeptTaskEvent | CreditEvent;

/** An event that stands in the outbox, and its text: it is written once for all that it is sent to. */
export interface WrittenEntry {
  readonly entry: OutboxEntry;
  readonly text: string;
}

/** An event that stands in the outbox. */
export interface OutboxEntry<Event extends OutboxEvent = OutboxEvent> {
  readonly shard: string;
  readonly entryId: string;
  readonly event: Event;
}
