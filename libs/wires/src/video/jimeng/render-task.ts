import type { TaskState } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { TaskContext, VideoTask } from "../hub/task.ts";

const words: Readonly<Record<TaskState, string>> = {
  queued: "in_queue",
  in_progress: "generating",
  completed: "done",
  failed: "done",
};
const success = 10_000;
/** The vendor's code for a failure of its own. */
const failure = 50_500;

/** The answer to a submitted task. */
export function renderCreated(task: VideoTask, context: TaskContext): JsonRecord {
  return envelope(success, "Success", { task_id: task.id }, context);
}

/** The answer to a fetched result; as at the vendor, a task is done with another code where it has failed. */
export function renderTask(task: VideoTask, context: TaskContext): JsonRecord {
  const { state, error } = task;
  const data = { status: words[state], task_id: task.id };
  if (state === "failed") return envelope(codeOf(error?.code), error?.message ?? "failed", data, context);
  return envelope(
    success,
    "Success",
    state === "completed" ? { ...data, video_url: context.contentUrl } : data,
    context,
  );
}

function envelope(code: number, message: string, data: JsonRecord, { requestId }: TaskContext): JsonRecord {
  return { code, message, request_id: requestId, status: code, time_elapsed: "0 ms", data };
}

function codeOf(code: string | undefined): number {
  return code !== undefined && /^5\d{4}$/.test(code) ? Number(code) : failure;
}
