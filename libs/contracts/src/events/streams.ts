import type { Area } from "../endpoints/endpoint.ts";
import type { CreditKind } from "./receipt.ts";
import type { TaskState } from "./task.ts";

/** JetStream streams and their subjects; file storage, de-duplicated by `Nats-Msg-Id`. */
export const eventStreams = {
  usage: { name: "USAGE", subjects: "usage.v1.*" },
  credits: { name: "CREDITS", subjects: "credit.v1.*" },
  tasks: { name: "TASKS", subjects: "task.v1.video.*" },
} as const;

/** Returns the subject of a usage event. */
export function usageSubject(area: Area): string {
  return `usage.v1.${area}`;
}

/** Returns the subject of a task event. */
export function taskSubject(state: TaskState): string {
  return `task.v1.video.${state}`;
}

/** Returns the subject of a credit's event. */
export function creditSubject(kind: CreditKind): string {
  return `credit.v1.${kind}`;
}
