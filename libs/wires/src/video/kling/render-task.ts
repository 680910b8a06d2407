import type { TaskState } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import * as shared from "../generations/render-task.ts";
import type { TaskContext, VideoTask } from "../hub/task.ts";

const words: Readonly<Record<TaskState, string>> = {
  queued: "submitted",
  in_progress: "processing",
  completed: "succeed",
  failed: "failed",
};

/** A task that was just created: the vendor's envelope and the documented members in one object. */
export function renderCreated(task: VideoTask, { requestId }: TaskContext): JsonRecord {
  return {
    code: 0,
    message: "SUCCEED",
    request_id: requestId,
    ...shared.renderCreated(task),
    data: { ...dataOf(task), task_info: { external_task_id: null } },
  };
}

/** A task's state, both ways as well. */
export function renderTask(task: VideoTask, context: TaskContext): JsonRecord {
  const { state, asked, error } = task;
  const video = { id: task.id, url: context.contentUrl, duration: String(asked.seconds) };
  return {
    code: 0,
    message: "SUCCEED",
    request_id: context.requestId,
    ...shared.renderTask(task, context),
    data: {
      ...dataOf(task),
      task_status_msg: state === "failed" ? (error?.message ?? "") : "",
      ...(state === "completed" ? { task_result: { videos: [video] } } : {}),
    },
  };
}

function dataOf(task: VideoTask): JsonRecord {
  return {
    task_id: task.id,
    task_status: words[task.state],
    created_at: task.createdAt,
    updated_at: task.endedAt ?? task.createdAt,
  };
}
