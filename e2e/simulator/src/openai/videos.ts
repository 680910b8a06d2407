import { numberAt, withoutUndefinedMembers, textAt } from "../checks/members.ts";
import { requireShape, Refusal, wrongField } from "../checks/refusal.ts";
import { Shapes } from "../checks/notation.ts";
import type { Form } from "../core/form.ts";
import { smallPictureOf } from "../pictures/picture.ts";
import type { EndpointCall, Endpoint, ParsedRequest } from "../vendor.ts";
import {
  directiveOf,
  findTask,
  poll,
  phaseOf,
  createTask,
  videoOf,
  type VideoRequest,
  type Phase,
  type SimulatedTask,
} from "../video/tasks.ts";

const shapes = new Shapes(String.raw`
  Address = /^(?:https?:\/\/|data:image\/)/ "an address";
  Video = {
    model: string, prompt: filled, seconds?: "4" | "8" | "12",
    size?: "720x1280" | "1280x720" | "1024x1792" | "1792x1024",
    input_reference?: { image_url: Address } | { file_id: string }
  };
  Remix = { prompt: filled };
  Generation = {
    model: string, prompt?: string, negative_prompt?: string, image?: Address | base64, image_tail?: Address | base64,
    duration?: number(1, 60), width?: integer(1), height?: integer(1), fps?: integer(1), seed?: number(-1, 10000000000),
    aspect_ratio?: string, metadata?: object, user?: string
  };
`);
const usualSize = "720x1280";

const createVideo: Endpoint = {
  method: "POST",
  path: /^\/v1\/videos$/,
  open(asking) {
    const members = asking.form === undefined ? asking.body : membersOf(asking.form);
    requireShape(members, shapes.of("Video"));
    const [width = 0, height = 0] = (textAt(members, "size") ?? usualSize).split("x").map(Number);
    return startVideo({
      model: textAt(members, "model") ?? "",
      prompt: textAt(members, "prompt") ?? "",
      seconds: Number(textAt(members, "seconds") ?? "4"),
      width,
      height,
    });
  },
};

const getVideo: Endpoint = {
  method: "GET",
  path: /^\/v1\/videos\/([^/]+)$/,
  open: ({ groups: [id] }) => {
    const task = requireTask(id);
    return { whole: () => render(task, poll(task)) };
  },
};

const remixVideo: Endpoint = {
  method: "POST",
  path: /^\/v1\/videos\/([^/]+)\/remix$/,
  open: ({ groups: [id], body: request }) => {
    requireShape(request, shapes.of("Remix"));
    const source = requireTask(id);
    if (phaseOf(source).state !== "completed") throw new Refusal(400, "The video is not finished.");
    return startVideo({ ...source, prompt: textAt(request, "prompt") ?? "" }, source.id);
  },
};

const getContent: Endpoint = {
  method: "GET",
  path: /^\/v1\/videos\/([^/]+)\/content$/,
  open({ groups: [id], query }) {
    const task = requireTask(id);
    const file = videoOf(task);
    if (file === undefined) throw new Refusal(404, "The video is not there.", { code: "not_found" });
    const variant = query.get("variant") ?? "video";
    if (variant === "spritesheet") throw new Refusal(404, "There is no such variant.", { code: "not_found" });
    const thumbnail = { bytes: smallPictureOf(task.prompt), contentType: "image/png" };
    return { whole: () => ({}), file: () => (variant === "thumbnail" ? thumbnail : file) };
  },
};

/** Endpoint that starts a video in the format of compatible vendors. */
const startGeneration: Endpoint = {
  method: "POST",
  path: /^\/v1\/video\/generations$/,
  open({ body: request }) {
    requireShape(request, shapes.of("Generation"));
    const { whole, directive } = startVideo({
      model: textAt(request, "model") ?? "",
      prompt: textAt(request, "prompt") ?? "",
      seconds: numberAt(request, "duration") ?? 5,
      width: numberAt(request, "width") ?? 512,
      height: numberAt(request, "height") ?? 512,
    });
    return { directive, whole: (behaviour) => ({ task_id: textAt(whole(behaviour), "id"), status: "queued" }) };
  },
};

const getGeneration: Endpoint = {
  method: "GET",
  path: /^\/v1\/video\/generations\/([^/]+)$/,
  open({ groups: [id], address: at }: EndpointCall) {
    const task = requireTask(id);
    return {
      whole() {
        const phase = poll(task);
        const url = `${at}/v1/videos/${task.id}/content`;
        return withoutUndefinedMembers({
          task_id: task.id,
          status: phase.state,
          ...(phase.state === "completed" ? { url, format: "mp4" } : {}),
          error: phase.state === "failed" ? { code: 500, message: phase.message } : undefined,
        });
      },
    };
  },
};

/** Endpoints of video tasks. */
export const videos: readonly Endpoint[] = [
  createVideo,
  getVideo,
  remixVideo,
  getContent,
  startGeneration,
  getGeneration,
];

function startVideo(request: VideoRequest, from?: string): ParsedRequest {
  return {
    directive: directiveOf(request.prompt),
    whole() {
      const task = createTask("video_", request);
      return { ...render(task, { state: "queued" }), remixed_from_video_id: from ?? null };
    },
  };
}

function requireTask(id: string | undefined): SimulatedTask {
  const task = id === undefined ? undefined : findTask(id);
  if (task === undefined) throw new Refusal(404, "There is no such video.", { code: "not_found" });
  return task;
}

function render(task: SimulatedTask, phase: Phase): object {
  return {
    id: task.id,
    object: "video",
    model: task.model,
    status: phase.state,
    progress: phase.state === "completed" ? 100 : phase.state === "in_progress" ? phase.progress : 0,
    created_at: Math.floor(task.createdAt / 1_000),
    completed_at: phase.state === "completed" ? Math.floor(Date.now() / 1_000) : null,
    expires_at: Math.floor(task.createdAt / 1_000) + 86_400,
    seconds: String(task.seconds),
    size: `${task.width}x${task.height}`,
    error: phase.state === "failed" ? { code: "generation_failed", message: phase.message } : null,
  };
}

/** Converts a form to JSON members. Its file becomes a reference. */
function membersOf({ fields, files }: Form): object {
  const [file, more] = files;
  if (more !== undefined) throw wrongField([more.name], "There is only one file.");
  if (file === undefined) return Object.fromEntries(fields);
  if (file.name !== "input_reference") throw wrongField([file.name], "There is no such file.");
  if (!["image/png", "image/jpeg", "image/webp"].includes(file.contentType))
    throw wrongField(["input_reference"], `'${file.contentType}' is not supported.`);
  return { ...Object.fromEntries(fields), input_reference: { file_id: `form:${file.bytes.length}` } };
}
