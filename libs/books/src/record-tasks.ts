import type { TaskEvent } from "@modelgate/contracts";
import type { Books } from "./open.ts";

/** Writes tasks that ended into the books; transitions before the end, and tasks that are there already, are left out. */
export async function recordTasks({ db }: Books, events: readonly TaskEvent[]): Promise<void> {
  const ended = events.filter(({ state }) => state === "completed" || state === "failed");
  if (ended.length === 0) return;
  await db
    .insertInto("tasks")
    .values(
      ended.map((event) => ({
        account: event.accountId,
        task: event.taskId,
        at: Date.parse(event.time),
        state: event.state,
        model: event.model,
        channel: event.channelId,
        event: JSON.stringify(event),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
