import type { Behaviour } from "../behaviour.ts";
import { Refusal } from "../checks/refusal.ts";
import { freshId } from "../core/ids.ts";
import { addressOfPicture } from "../pictures/index.ts";
import type { PicturesRequest } from "./read.ts";

interface Task {
  readonly request: PicturesRequest;
  readonly behaviour: Behaviour;
  readonly key: string;
  polls: number;
}

const maxTasks = 10_000;
const tasks = new Map<string, Task>();

export function beginTask(request: PicturesRequest, behaviour: Behaviour, key: string): object {
  const id = freshId("task-");
  const [oldest] = tasks.keys();
  if (tasks.size >= maxTasks && oldest !== undefined) tasks.delete(oldest);
  tasks.set(id, { request, behaviour, key, polls: 0 });
  return { output: { task_id: id, task_status: "PENDING" }, request_id: freshId("req-") };
}

/**
 * Polls and renders a task, which ends at the second poll. The behaviour `finish` decides its end: with `FAILED`, the
 * task fails, with `PARTIAL`, its first picture fails, and with `RUNNING`, the task never ends.
 */
export function pollTask(id: string, key: string, host: string): object {
  const task = tasks.get(id);
  if (task === undefined || task.key !== key) throw new Refusal(404, "The task is not known.", { code: "InvalidTask" });
  const output = { task_id: id, ...stateOf(task, host) };
  const { usage } = task.behaviour;
  const used = usage === null || output.task_status !== "SUCCEEDED" ? undefined : { image_count: task.request.count };
  return { request_id: freshId("req-"), output, ...(used && { usage: usage ?? used }) };
}

function stateOf(task: Task, host: string): { readonly task_status: string; readonly [name: string]: unknown } {
  const { request, behaviour } = task;
  const { errorCode: code = "InternalError", errorMessage: message = "simulated failure", finish } = behaviour;
  if (++task.polls === 1 || finish === "RUNNING") return { task_status: "RUNNING" };
  if (finish === "FAILED") return { task_status: "FAILED", code, message };
  const results = Array.from({ length: request.count }, (_, at) =>
    finish === "PARTIAL" && at === 0
      ? { code, message }
      : {
          url: addressOfPicture(host, { words: `${request.question.words} ${at}`, ...request.size, format: "png" }),
          actual_prompt: `Extended: ${request.question.words}`,
        },
  );
  return { task_status: "SUCCEEDED", results };
}
