import { Type } from "typebox";
import { recordParser, TaskEvent, type StoredTaskEvent } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import type { OutboxEvent } from "../outbox/publish.ts";
import { claimDue, firstScore, type Claim } from "./claim.ts";
import { transitionId, type TaskRecord } from "./record.ts";

/** A state transition that is posted to the client's URL. */
export interface Callback {
  readonly url: string;
  readonly event: TaskEvent;
  /** Number of failed deliveries. */
  readonly tries: number;
}

const putCallbackScript = defineScript({
  file: new URL("put-callback.lua", import.meta.url),
  keys: ["due", "callbacks"],
  args: { id: "text", callback: "text?", dueAt: "number?" },
  replies: { stored: {}, deleted: {} },
});

/** Returns the callback of a transition; undefined if the task has no callback URL. */
export function makeCallback(
  { callbackUrl: url }: TaskRecord,
  { record: _record, ...event }: StoredTaskEvent,
): Callback | undefined {
  return url === undefined ? undefined : { url, event, tries: 0 };
}

/** Returns the callback of a task's current state if its event is among `entries`. */
export function findCallback(
  task: TaskRecord,
  entries: readonly { readonly event: OutboxEvent }[],
): Callback | undefined {
  const event = entries.map((entry) => entry.event).find(({ id }) => id === transitionId(task));
  return event !== undefined && "taskId" in event ? makeCallback(task, event) : undefined;
}

const readCallback: (text: string) => Callback = recordParser(
  "callback",
  Type.Object({ url: Type.String(), event: TaskEvent, tries: Type.Integer() }),
);

/** Kinds of the script arguments that store a callback together with its event. */
export const callbackKinds = { callbackId: "text?", callback: "text?", callbackDueAt: "number?" } as const;

/**
 * Returns a callback as script arguments. `callbackDueAt` is the Unix time in ms from which other processes may send
 * it.
 */
export function callbackArguments(callback: Callback | undefined, callbackDueAt: number) {
  return { callbackId: callback?.event.id, callback: callback && JSON.stringify(callback), callbackDueAt };
}

/** Returns the Unix time in ms at which the first callback of a shard is due, or Infinity. */
export function firstCallbackDue(redis: Redis, shard: string): Promise<number> {
  return firstScore(redis, accountKeys.callbacksDue(shard));
}

/** Claims the due callbacks of a shard. No other process can claim them until the lease ends. */
export async function claimCallbacks(redis: Redis, shard: string, claim: Claim): Promise<readonly Callback[]> {
  const ids = await claimDue(redis, accountKeys.callbacksDue(shard), claim);
  if (ids.length === 0) return [];
  const records = await redis.hmget(accountKeys.callbacks(shard), ...ids);
  return records.flatMap((text) => {
    if (text === null) return [];
    return [readCallback(text)];
  });
}

/** Removes a callback that was delivered or given up. */
export async function removeCallback(redis: Redis, { event }: Callback): Promise<void> {
  await putCallbackScript(redis, callbackKeys(event), { id: event.id, callback: undefined, dueAt: undefined });
}

/** Schedules another delivery at a Unix time in ms. Does nothing if the callback was delivered meanwhile. */
export async function retryCallback(redis: Redis, callback: Callback, dueAt: number): Promise<void> {
  const { event } = callback;
  await putCallbackScript(redis, callbackKeys(event), { id: event.id, callback: JSON.stringify(callback), dueAt });
}

function callbackKeys({ accountId }: TaskEvent) {
  const shard = shardOf(accountId);
  return { due: accountKeys.callbacksDue(shard), callbacks: accountKeys.callbacks(shard) };
}
