import { Type } from "typebox";
import {
  stored,
  TaskState,
  UsageDraft,
  videoWires,
  withPresentNames,
  type KeptTaskEvent,
  type VideoWire,
} from "@modelgate/contracts";
import { openSealer, type Secrets } from "@modelgate/platform";
import type { TaskName } from "./claim.ts";

/** A video task as it is stored in Redis, by owner and id. Times are Unix ms. It contains neither keys nor secrets. */
export interface TaskRecord {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string;
  /** Name of the model in the gateway. */
  readonly model: string;
  /** Channel of its vendor: the task is polled through the same channel with the same key. */
  readonly channelId: string;
  readonly keyId: string;
  /** Wire of its vendor. */
  readonly wire: VideoWire;
  /** The vendor's id of the task, in a form that only its provider reads. */
  readonly operation: string;
  /** Values of the request that answers repeat. */
  readonly requested: Readonly<Record<string, unknown>>;
  /** The client's URL for the task's transitions. */
  readonly callbackUrl?: string | undefined;
  /** Id of the hold that pays for it. */
  readonly callId: string;
  /** Cost if it completes, as decimal text. */
  readonly costNanos: string;
  /** Usage event, with the members that were known at its creation. */
  readonly draft: UsageDraft;
  readonly state: TaskState;
  /** Progress in percent; never decreases. */
  readonly progress: number;
  readonly createdAt: number;
  /** Time at which a poll first found it in progress. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  /** Time after which an open task counts as failed. */
  readonly deadlineAt: number;
  /** Number of polls, and of the latest consecutive ones without a result; they determine the pause before the next. */
  readonly polls: number;
  readonly misses: number;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** Location of the video at the vendor, in a form that only its provider reads. */
  readonly result?: string | undefined;
}

/** Ms between a task's deadline and the end of its hold's lease; only then may the sweep settle the hold. */
export const holdBeyondMs = 3_600_000;

const time = Type.Number();

/** Reads a stored task. Throws UnknownShape. */
export const readTask: (text: string) => TaskRecord = stored(
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
    createdAt: time,
    startedAt: Type.Optional(time),
    endedAt: Type.Optional(time),
    deadlineAt: time,
    polls: Type.Integer(),
    misses: Type.Integer(),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    result: Type.Optional(Type.String()),
  }),
  (task) => withPresentNames(task, { asked: "requested", looks: "polls" }),
);

/** Returns the id of the event of a task's current state. Each state is entered once, so the id is unique. */
export function transitionId({ id, state }: TaskRecord): string {
  return `${id}.${state}`;
}

/** A change of a task's state. */
export interface Transition {
  readonly from: TaskState | null;
  readonly nowMs: number;
  readonly keepMs: number;
  /** Encrypts the task for its event, from which it can be restored. Absent: the event contains no copy. */
  readonly seal?: { seal(task: TaskRecord): string } | undefined;
}

/** Returns the event of a task's transition, with a copy of the task. */
export function taskEvent(task: TaskRecord, { from, nowMs, keepMs, seal }: Transition): KeptTaskEvent {
  return {
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
    ...(task.state === "failed" && task.error !== undefined ? { error: task.error } : {}),
    ...(seal === undefined
      ? {}
      : { kept: { sealed: seal.seal(task), untilMs: (task.endedAt ?? task.deadlineAt) + keepMs } }),
  };
}

/** Encrypts records of tasks for their events, because they contain clients' texts. */
export interface TaskSeal {
  seal(task: TaskRecord): string;
  /**
   * Decrypts a record. Throws for a secret that is not accepted, another task, or a changed text; throws UnknownShape.
   */
  open(sealed: string, name: TaskName): TaskRecord;
}

/** Creates the encryption of task records with the secrets of the deployment. */
export function openTaskSealer(secrets: Secrets): TaskSeal {
  const sealer = openSealer(secrets, "modelgate tasks");
  const contextOf = ({ accountId, id }: TaskName): string => `${accountId}/${id}`;
  return {
    seal: (task) => sealer.seal(JSON.stringify(task), contextOf(task)),
    open: (sealed, name) => readTask(sealer.open(sealed, contextOf(name))),
  };
}
