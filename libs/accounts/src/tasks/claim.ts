import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

/** Account and id of a task, which together identify it. */
export interface TaskKey {
  readonly accountId: string;
  readonly id: string;
}

/** Claim of due entries by one process. */
export interface Claim {
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly maxMembers: number;
}

const claimScript = defineScript({
  file: new URL("claim.lua", import.meta.url),
  keys: ["due"],
  args: { nowMs: "number", leaseUntil: "number", maxMembers: "number" },
  replies: { claimed: { members: "text[]" } },
});

/** Claims the due members of a sorted set. No other process can claim them until the lease ends. */
export async function claimDue(
  redis: Redis,
  due: string,
  { nowMs, leaseMs, maxMembers }: Claim,
): Promise<readonly string[]> {
  const { members } = await claimScript(redis, { due }, { nowMs, leaseUntil: nowMs + leaseMs, maxMembers });
  return members;
}

/** Claims the due tasks of a shard. No other process can claim them until the lease ends. */
export async function claimTasks(redis: Redis, shard: string, claim: Claim): Promise<readonly TaskKey[]> {
  const members = await claimDue(redis, accountKeys.tasksDue(shard), claim);
  return members.map(parseTaskMember);
}

/** Returns the lowest score of a sorted set, which is a time; Infinity if the set is empty. */
export async function firstScore(redis: Redis, key: string): Promise<number> {
  const [, score] = await redis.zrange(key, "0", "0", "WITHSCORES");
  return score === undefined ? Infinity : Number(score);
}

/** Returns the Unix time in ms at which the first task of a shard is due; Infinity if no task is open. */
export function firstTaskDue(redis: Redis, shard: string): Promise<number> {
  return firstScore(redis, accountKeys.tasksDue(shard));
}

/** Returns the number of tasks that are still polled, including claimed ones. */
export function countOpenTasks(redis: Redis, shard: string): Promise<number> {
  return redis.zcard(accountKeys.tasksDue(shard));
}

/** Renders a task's member in the sorted set of due tasks. Only the account id may contain a space. */
export function taskMember({ accountId, id }: TaskKey): string {
  return `${id} ${accountId}`;
}

function parseTaskMember(member: string): TaskKey {
  const space = member.indexOf(" ");
  return { id: member.slice(0, space), accountId: member.slice(space + 1) };
}
