import type { Area } from "../endpoints/endpoint.ts";
import type { CreditKind } from "./receipt.ts";
import type { TaskState } from "./task.ts";

/** JetStream streams of events, and their subjects. Messages are de-duplicated by `Nats-Msg-Id`. */
export const eventStreams = {
  usage: { name: "USAGE", subjects: "usage.v1.*" },
  credits: { name: "CREDITS", subjects: "credit.v1.*" },
  tasks: { name: "TASKS", subjects: "task.v1.video.*" },
} as const;

/** Returns the subject of the usage events of an area. */
export function usageSubject(area: Area): string {
  return `usage.v1.${area}`;
}

/** Returns the subject of events of transitions to a task state, or of deletions. */
export function taskSubject(state: TaskState | "deleted"): string {
  return `task.v1.video.${state}`;
}

/** Returns the subject of credit events of a kind. */
export function creditSubject(kind: CreditKind): string {
  return `credit.v1.${kind}`;
}
