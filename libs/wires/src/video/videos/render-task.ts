import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { VideoTask } from "../hub/task.ts";

/** A task in style A (interface section 2.2), with the members that the vendor's own SDK declares. */
export function renderTask(task: VideoTask): JsonRecord {
  const { asked, endedAt, expiresAt, state } = task;
  return present({
    id: task.id,
    object: "video",
    model: task.model,
    status: state,
    progress: task.progress,
    created_at: wholeSeconds(task.createdAt),
    completed_at: state === "completed" && endedAt !== undefined ? wholeSeconds(endedAt) : null,
    expires_at: expiresAt === undefined ? null : wholeSeconds(expiresAt),
    seconds: String(asked.seconds),
    size: asked.size,
    prompt: asked.prompt ?? null,
    remixed_from_video_id: asked.remixOf ?? null,
    error: state === "failed" ? (task.error ?? null) : null,
  });
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
