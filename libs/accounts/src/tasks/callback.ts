import type { TaskEvent } from "@modelgate/contracts";
import { defineScript, replyList, type Redis } from "@modelgate/platform";
import { keys, shardOf } from "../keys.ts";
import type { ToldEvent } from "../outbox/entry.ts";
import { claimDue, type Claim } from "./claim.ts";
import { transitionId, type TaskRecord } from "./record.ts";

/** A transition that its client wants to be told, kept until it is told or given up. */
export interface Callback {
  readonly url: string;
  readonly event: TaskEvent;
  /** Tries so far that failed. */
  readonly tries: number;
}

const put = defineScript(new URL("put-callback.lua", import.meta.url), replyList);

/** The callback of a transition; undefined for a task whose client wants none. */
export function callbackOf({ callbackUrl: url }: TaskRecord, event: TaskEvent): Callback | undefined {
  return url === undefined ? undefined : { url, event, tries: 0 };
}

/** The callback that was kept with a task's record, among the events that were written with it; undefined for none. */
export function callbackAmong(task: TaskRecord, told: readonly { readonly event: ToldEvent }[]): Callback | undefined {
  const event = told.map((entry) => entry.event).find(({ id }) => id === transitionId(task));
  return event !== undefined && "taskId" in event ? callbackOf(task, event) : undefined;
}

/** A callback as the scripts of tasks write it with its event: its id, its JSON, and when others may tell it (ms). */
export function callbackArguments(callback: Callback | undefined, dueAt: number): readonly (string | number)[] {
  return callback === undefined ? ["", "", ""] : [callback.event.id, JSON.stringify(callback), dueAt];
}

/** The due callbacks of a shard, for this process alone until its lease is over. */
export async function claimCallbacks(redis: Redis, shard: string, claim: Claim): Promise<readonly Callback[]> {
  const ids = await claimDue(redis, keys.callbacksDue(shard), claim);
  if (ids.length === 0) return [];
  const kept = await redis.hmget(keys.callbacks(shard), ...ids);
  return kept.flatMap((text) => {
    if (text === null) return []; // told meanwhile
    const callback: Callback = JSON.parse(text);
    return [callback];
  });
}

/** Forgets a callback: it was told, or is given up. */
export async function forgetCallback(redis: Redis, { event }: Callback): Promise<void> {
  await put(redis, callbackKeys(event), [event.id, "", ""]);
}

/** Keeps a callback for another try, Unix ms; nothing where it was told meanwhile. */
export async function retryCallback(redis: Redis, callback: Callback, dueAt: number): Promise<void> {
  const { event } = callback;
  await put(redis, callbackKeys(event), [event.id, JSON.stringify(callback), dueAt]);
}

function callbackKeys({ accountId }: TaskEvent): readonly string[] {
  const shard = shardOf(accountId);
  return [keys.callbacksDue(shard), keys.callbacks(shard)];
}
