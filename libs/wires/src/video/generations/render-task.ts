import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { TaskContext, VideoTask } from "../hub/task.ts";

/** A task that was just created: the documented members, and those of the common task object. */
export function renderCreated(task: VideoTask): JsonRecord {
  return {
    id: task.id,
    task_id: task.id,
    object: "video",
    model: task.model,
    status: task.state,
    progress: task.progress,
    created_at: Math.floor(task.createdAt / 1_000),
  };
}

/** A task's state, the video's address once there is one. */
export function renderTask(task: VideoTask, { contentUrl }: TaskContext): JsonRecord {
  const { asked, state, error } = task;
  const { width, height } = sizeOf(asked.size);
  return {
    ...renderCreated(task),
    ...(state === "completed" ? { url: contentUrl, format: "mp4" } : {}),
    metadata: present({ duration: asked.seconds, fps: asked.fps, width, height, seed: asked.seed }),
    error: state === "failed" && error !== undefined ? { code: codeOf(error.code), message: error.message } : null,
  };
}

/** These styles promise a whole number: the vendor's own, else what an HTTP status would say. */
function codeOf(code: string): number {
  if (/^\d{1,9}$/.test(code)) return Number(code);
  return code === "timeout" ? 504 : 502;
}

function sizeOf(size: string | undefined): { readonly width?: number; readonly height?: number } {
  const [width, height] = (size ?? "").split("x").map(Number);
  return width === undefined || height === undefined ? {} : { width, height };
}
