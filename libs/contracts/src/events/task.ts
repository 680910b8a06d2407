import { Type, type Static } from "typebox";
import { recordParser, renameMembers } from "../stored.ts";

/** States of a video task; `completed` and `failed` are final. */
export const TaskState = Type.Union([
  Type.Literal("queued"),
  Type.Literal("in_progress"),
  Type.Literal("completed"),
  Type.Literal("failed"),
]);
export type TaskState = Static<typeof TaskState>;

/**
 * Event of a video task's transition to a state, with the subject `task.v1.video.<state>`. The event of a deletion has
 * the subject `task.v1.video.deleted`, and the state in which the task was.
 */
export const TaskEvent = Type.Object(
  {
    id: Type.String(),
    time: Type.String({ description: "RFC 3339" }),
    taskId: Type.String(),
    accountId: Type.String(),
    tokenId: Type.String(),
    model: Type.String(),
    channelId: Type.String(),
    state: TaskState,
    previousState: Type.Union([TaskState, Type.Null()]),
    progress: Type.Integer({ minimum: 0, maximum: 100 }),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    deleted: Type.Optional(Type.Literal(true, { description: "set if a client has deleted the task" })),
  },
  { $id: "TaskEvent" },
);
export type TaskEvent = Static<typeof TaskEvent>;

/** Event of a task as the gateway publishes it. Only the ledger should read `record`. */
export const StoredTaskEvent = Type.Object({
  ...TaskEvent.properties,
  record: Type.Optional(
    Type.Object({
      encrypted: Type.String({
        description:
          "record of the task, which is encrypted because it contains a prompt and addresses; empty if the task is deleted",
      }),
      untilMs: Type.Number({ description: "time in Unix ms until which the task can be fetched" }),
    }),
  ),
});
export type StoredTaskEvent = Static<typeof StoredTaskEvent>;

/** Parses a stored task event. Throws UnknownShape. */
export const readTaskEvent: (text: string) => StoredTaskEvent = recordParser(
  "task event",
  StoredTaskEvent,
  upgradeTaskEvent,
);

/** Converts a task event of an earlier version, which had `kept.sealed`. Returns other values without a change. */
export function upgradeTaskEvent(event: unknown): unknown {
  if (typeof event !== "object" || event === null || !("kept" in event)) return event;
  const { kept, ...others } = event;
  return { ...others, record: renameMembers(kept, { sealed: "encrypted" }) };
}
