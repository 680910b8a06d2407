import { Type } from "typebox";
import {
  recordParser,
  TaskState,
  UsageDraft,
  videoWires,
  renameMembers,
  withoutUndefined,
  type StoredTaskEvent,
  type VideoWire,
} from "@modelgate/contracts";
import { makeCipher, type Secrets } from "@modelgate/platform";
import type { TaskKey } from "./claim.ts";

/** Record of a video task in Redis, without secrets. Times are Unix ms. */
export interface TaskRecord {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string;
  readonly model: string;
  readonly channelId: string;
  readonly keyId: string;
  readonly wire: VideoWire;
  /** Vendor's id of the task, in a form that only the task's provider reads. */
  readonly operation: string;
  /** Values of the request that answers repeat. */
  readonly requested: Readonly<Record<string, unknown>>;
  readonly callbackUrl?: string | undefined;
  readonly callId: string;
  /** Cost in nano-dollars if the task completes, as decimal text. */
  readonly costNanos: string;
  /** Usage event with the members that were known when the task was created. */
  readonly draft: UsageDraft;
  readonly state: TaskState;
  /** Progress in percent. It never decreases. */
  readonly progress: number;
  readonly createdAt: number;
  /** Time at which a poll first found the task in progress. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  /** Time after which an open task has failed. */
  readonly deadlineAt: number;
  /**
   * Number of all polls, and of the last consecutive ones without a result. They determine the pause before the next
   * poll.
   */
  readonly polls: number;
  readonly misses: number;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** Location of the video at the vendor, in a form that only the task's provider reads. */
  readonly result?: string | undefined;
}

/** Time in ms between a task's deadline and the end of its hold's lease. */
export const holdLeaseMarginMs = 3_600_000;

const unixMs = Type.Number();

/** Parses a stored task. Throws UnknownShape. */
export const readTask: (text: string) => TaskRecord = recordParser(
  "task",
  Type.Object({
    id: Type.String(),
    accountId: Type.String(),
    tokenId: Type.String(),
    model: Type.String(),
    channelId: Type.String(),
    keyId: Type.String(),
    wire: Type.Enum([...videoWires]),
    operation: Type.String(),
    requested: Type.Record(Type.String(), Type.Unknown()),
    callbackUrl: Type.Optional(Type.String()),
    callId: Type.String(),
    costNanos: Type.String({ pattern: "^\\d+$" }),
    draft: UsageDraft,
    state: TaskState,
    progress: Type.Number(),
    createdAt: unixMs,
    startedAt: Type.Optional(unixMs),
    endedAt: Type.Optional(unixMs),
    deadlineAt: unixMs,
    polls: Type.Integer(),
    misses: Type.Integer(),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    result: Type.Optional(Type.String()),
  }),
  (task) => renameMembers(task, { asked: "requested", looks: "polls" }),
);

/** Returns the event id of a task's current state. It is unique, because a task enters each state once. */
export function transitionId({ id, state }: TaskRecord): string {
  return `${id}.${state}`;
}

export interface Transition {
  readonly from: TaskState | null;
  readonly nowMs: number;
  readonly keepMs: number;
  /** Encrypts the task for its event; absent if the event contains no copy of the task. */
  readonly cipher?: { encrypt(task: TaskRecord): string } | undefined;
}

/** Creates the event of a task's transition. */
export function makeTaskEvent(task: TaskRecord, { from, nowMs, keepMs, cipher }: Transition): StoredTaskEvent {
  return withoutUndefined({
    id: transitionId(task),
    time: new Date(nowMs).toISOString(),
    taskId: task.id,
    accountId: task.accountId,
    tokenId: task.tokenId,
    model: task.model,
    channelId: task.channelId,
    state: task.state,
    previousState: from,
    progress: task.progress,
    error: task.state === "failed" ? task.error : undefined,
    record: cipher && { encrypted: cipher.encrypt(task), untilMs: expiryOf(task, keepMs) },
  });
}

/** Creates the event of a task's deletion, which is the last event of the task. */
export function makeDeletionEvent(
  task: TaskRecord,
  { nowMs, keepMs }: { readonly nowMs: number; readonly keepMs: number },
): StoredTaskEvent {
  return {
    ...makeTaskEvent(task, { from: task.state, nowMs, keepMs }),
    id: `${task.id}.deleted`,
    deleted: true,
    record: { encrypted: "", untilMs: expiryOf(task, keepMs) },
  };
}

/** Returns the Unix time in ms until which a task can be fetched. */
function expiryOf({ endedAt, deadlineAt }: TaskRecord, keepMs: number): number {
  return (endedAt ?? deadlineAt) + keepMs;
}

/** Encrypts and decrypts the task records in events, because they contain clients' texts. */
export interface TaskCipher {
  encrypt(task: TaskRecord): string;
  /**
   * Throws if the record was changed, or encrypted for another task or with an unknown secret. Throws UnknownShape if
   * the record cannot be read.
   */
  decrypt(encrypted: string, name: TaskKey): TaskRecord;
}

export function makeTaskCipher(secrets: Secrets): TaskCipher {
  const cipher = makeCipher(secrets, "modelgate tasks");
  const contextOf = ({ accountId, id }: TaskKey): string => `${accountId}/${id}`;
  return {
    encrypt: (task) => cipher.encrypt(JSON.stringify(task), contextOf(task)),
    decrypt: (encrypted, name) => readTask(cipher.decrypt(encrypted, contextOf(name))),
  };
}
