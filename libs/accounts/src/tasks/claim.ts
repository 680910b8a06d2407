import { defineScript, replyList, type Redis } from "@modelgate/platform";
import { keys } from "../keys.ts";

/** Whose task, and which. */
export interface TaskPlace {
  readonly accountId: string;
  readonly id: string;
}

const run = defineScript(new URL("claim.lua", import.meta.url), replyList);

/** The due tasks of a shard, at most `most`, for this poller alone until its lease is over. */
export async function claimTasks(
  redis: Redis,
  shard: string,
  { nowMs, leaseMs, most }: { readonly nowMs: number; readonly leaseMs: number; readonly most: number },
): Promise<readonly TaskPlace[]> {
  const members = await run(redis, [keys.tasksDue(shard)], [nowMs, nowMs + leaseMs, most]);
  return members.map(placeOfName);
}

/** How many tasks of a shard have not ended. */
export function openTasks(redis: Redis, shard: string): Promise<number> {
  return redis.zcard(keys.tasksDue(shard));
}

/** A task among the due ones: the id has no space in it, whatever the account's name has. */
export function placeName({ accountId, id }: TaskPlace): string {
  return `${id} ${accountId}`;
}

function placeOfName(member: string): TaskPlace {
  const space = member.indexOf(" ");
  return { id: member.slice(0, space), accountId: member.slice(space + 1) };
}
