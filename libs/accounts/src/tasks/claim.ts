import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

/** Identifies a task: its account and its id. */
export interface TaskName {
  readonly accountId: string;
  readonly id: string;
}

/** A claim of due members by one process: at most `maxMembers` of them, until the lease ends. */
export interface Claim {
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly maxMembers: number;
}

const run = defineScript({
  file: new URL("claim.lua", import.meta.url),
  keys: ["due"],
  args: { nowMs: "number", leaseUntil: "number", maxMembers: "number" },
  replies: { claimed: { members: "text[]" } },
});

/** Claims the due members of a set; no other process gets them until the lease ends. */
export async function claimDue(
  redis: Redis,
  due: string,
  { nowMs, leaseMs, maxMembers }: Claim,
): Promise<readonly string[]> {
  const { members } = await run(redis, { due }, { nowMs, leaseUntil: nowMs + leaseMs, maxMembers });
  return members;
}

/** Claims the due tasks of a shard; no other poller gets them until the lease ends. */
export async function claimTasks(redis: Redis, shard: string, claim: Claim): Promise<readonly TaskName[]> {
  const members = await claimDue(redis, accountKeys.tasksDue(shard), claim);
  return members.map(parseTaskMember);
}

/** Returns the lowest score of a set, which is a time; Infinity if the set is empty. */
export async function firstScore(redis: Redis, key: string): Promise<number> {
  const [, score] = await redis.zrange(key, "0", "0", "WITHSCORES");
  return score === undefined ? Infinity : Number(score);
}

/** Returns the time at which the first task of a shard is due, Unix ms; Infinity if none is open. */
export function firstTaskDue(redis: Redis, shard: string): Promise<number> {
  return firstScore(redis, accountKeys.tasksDue(shard));
}

/** Returns the number of tasks of a shard that have not ended. */
export function openTasks(redis: Redis, shard: string): Promise<number> {
  return redis.zcard(accountKeys.tasksDue(shard));
}

/**
 * Returns a task's member in the set of due tasks. The id comes first because it has no space, while an account's name
 * may have one.
 */
export function taskMember({ accountId, id }: TaskName): string {
  return `${id} ${accountId}`;
}

function parseTaskMember(member: string): TaskName {
  const space = member.indexOf(" ");
  return { id: member.slice(0, space), accountId: member.slice(space + 1) };
}
