import { defineScript, orUnavailable, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { readTaskEntries, type OutboxEntry } from "../outbox/publish.ts";
import { unpublishedScript } from "../shared-scripts.ts";
import type { StoredTask } from "./find.ts";
import { makeDeletionEvent } from "./record.ts";

const removeScript = defineScript({
  file: new URL("remove.lua", import.meta.url),
  shared: [unpublishedScript],
  keys: ["task", "list", "outbox"],
  args: { id: "text", version: "text", event: "text" },
  replies: { removed: { entry: "text", earlier: "text[]" }, stale: {} },
});

/**
 * Deletes an ended task. Returns undefined if it has changed since it was read. Otherwise returns the events to publish:
 * earlier ones that were not published, then the event of the deletion. Throws Failure server_overloaded (503).
 */
export async function removeTask(
  redis: Redis,
  { version, task }: StoredTask,
  times: { readonly nowMs: number; readonly keepMs: number },
): Promise<readonly OutboxEntry[] | undefined> {
  const { accountId, id } = task;
  const shard = shardOf(accountId);
  const event = makeDeletionEvent(task, times);
  const reply = await orUnavailable(
    removeScript(
      redis,
      {
        task: accountKeys.task(accountId, id),
        list: accountKeys.tasksOf(accountId),
        outbox: accountKeys.outbox(shard),
      },
      { id, version, event: JSON.stringify(event) },
    ),
  );
  if (reply.verdict === "stale") return undefined;
  return [...readTaskEntries(shard, reply.earlier), { shard, entryId: reply.entry, event }];
}
