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

/** A video task as it is kept in Redis, by owner and id. Times are Unix ms. No key and no secret is in it. */
export interface TaskRecord {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string;
  /** The gateway's name of the model. */
  readonly model: string;
  /** The channel of its vendor: the task is polled through the same channel with the same key. */
  readonly channelId: string;
  readonly keyId: string;
  /** The wire of its vendor. */
  readonly wire: VideoWire;
  /** The vendor's id of it, in a form that only its provider reads. */
  readonly operation: string;
  /** Values of the request that answers repeat. */
  readonly requested: Readonly<Record<string, unknown>>;
  /** The client's URL for the task's transitions. */
  readonly callbackUrl?: string | undefined;
  /** The hold that pays for it. */
  readonly callId: string;
  /** Its cost when it completes, decimal. */
  readonly costNanos: string;
  /** Its usage event, as far as it was known when it was created. */
  readonly draft: UsageDraft;
  readonly state: TaskState;
  /** Percent; never goes down. */
  readonly progress: number;
  readonly createdAt: number;
  /** Time at which a poll first found it in progress. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  /** A task that has not ended by then has failed. */
  readonly deadlineAt: number;
  /** Number of polls, and of the last consecutive ones without a result: they set the pause before the next. */
  readonly polls: number;
  readonly misses: number;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** The location of the video at the vendor, in a form that only its provider reads. */
  readonly result?: string | undefined;
}

/** Time by which a task's hold outlives its deadline, in ms: only then may the sweep settle it as dead. */
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

/** Returns the id of the event of a task's present state: each state is entered once, so the id never repeats. */
export function transitionId({ id, state }: TaskRecord): string {
  return `${id}.${state}`;
}

/** A change of a task's state. */
export interface Transition {
  readonly from: TaskState | null;
  readonly nowMs: number;
  readonly keepMs: number;
  /**
   * Encrypts the task for its event, so that it can be restored. Absent: the event has no copy, and only Redis stores
   * the task.
   */
  readonly seal?: { seal(task: TaskRecord): string } | undefined;
}

/** Returns a task's transition as an event, with the task as it is then. */
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

/** Seals records of tasks for their events: they hold clients' texts. */
export interface TaskSeal {
  seal(task: TaskRecord): string;
  /** Opens a sealed record. Throws for a secret that is not accepted, another task, or a changed text; UnknownShape. */
  open(sealed: string, name: TaskName): TaskRecord;
}

/** Opens the seal with the secrets of the deployment. */
export function openTaskSealer(secrets: Secrets): TaskSeal {
  const sealer = openSealer(secrets, "modelgate tasks");
  const contextOf = ({ accountId, id }: TaskName): string => `${accountId}/${id}`;
  return {
    seal: (task) => sealer.seal(JSON.stringify(task), contextOf(task)),
    open: (sealed, name) => readTask(sealer.open(sealed, contextOf(name))),
  };
}
