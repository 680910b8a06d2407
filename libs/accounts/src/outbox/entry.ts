import type { TaskEvent, UsageEvent } from "@modelgate/contracts";

/** What is told through the outbox: a settled call, or a task's transition. */
export type ToldEvent = UsageEvent | TaskEvent;

/** An event that stands in the outbox. */
export interface OutboxEntry<Event extends ToldEvent = ToldEvent> {
  readonly shard: string;
  readonly entryId: string;
  readonly event: Event;
}
