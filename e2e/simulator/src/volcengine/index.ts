import { listAt, numberAt, textAt } from "../checks/members.ts";
import { bracketPath, requireShape, Refusal, wrongField } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { admitBearer, createVendor, type Endpoint, type Vendor } from "../vendor.ts";
import { videoAddress, videoHost, isVideoPath } from "../video/video-host.ts";
import {
  directiveOf,
  findTask,
  poll,
  sidesOf,
  createTask,
  type VideoRequest,
  type Phase,
  type SimulatedTask,
} from "../video/tasks.ts";

const shape = shapeOf(String.raw`{
  model: filled,
  content: (
    | { type: "text", text: filled }
    | {
        type: "image_url",
        image_url: { url: /^(?:https?:\/\/|data:image\/[\w.+-]+;base64,)/ "an address or a data URL" },
        role?: "first_frame" | "last_frame" | "reference_image"
      }
  )[1..],
  duration?: integer(2, 15), resolution?: "480p" | "720p" | "1080p" | "4k",
  ratio?: "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "21:9" | "adaptive", seed?: integer(-1, 4294967295),
  watermark?: boolean, camera_fixed?: boolean, generate_audio?: boolean, return_last_frame?: boolean
}`);

function read(body: unknown): VideoRequest {
  requireShape(body, shape);
  const parts = listAt(body, "content");
  const roles = parts.flatMap((part) => textAt(part, "role") ?? []);
  if (roles.includes("last_frame") && !roles.includes("first_frame"))
    throw wrongField(["content"], "A last frame needs a first one.");
  const prompt = parts.flatMap((part) => textAt(part, "text") ?? []).join(" ");
  const resolution = textAt(body, "resolution") ?? "720p";
  const lines = resolution === "4k" ? 2_160 : Number.parseInt(resolution, 10);
  const ratio = textAt(body, "ratio") ?? "16:9";
  return {
    model: textAt(body, "model") ?? "",
    prompt,
    seconds: numberAt(body, "duration") ?? 5,
    ...sidesOf(lines, ratio === "adaptive" ? "16:9" : ratio),
  };
}

const startEndpoint: Endpoint = {
  method: "POST",
  path: /^\/api\/v3\/contents\/generations\/tasks$/,
  open({ body }) {
    const parsed = read(body);
    return { directive: directiveOf(parsed.prompt), whole: () => ({ id: createTask("cgt-", parsed).id }) };
  },
};

const pollEndpoint: Endpoint = {
  method: "GET",
  path: /^\/api\/v3\/contents\/generations\/tasks\/([\w-]+)$/,
  open({ groups: [id = ""], address }) {
    const task = findTask(id);
    if (task === undefined) throw new Refusal(404, "The specified task is not found.", { code: "ResourceNotFound" });
    return { whole: () => renderTask(task, poll(task), address) };
  },
};

const states: Readonly<Record<Phase["state"], string>> = {
  queued: "queued",
  in_progress: "running",
  completed: "succeeded",
  failed: "failed",
};

function renderTask(task: SimulatedTask, phase: Phase, address: string): object {
  const { id, model, createdAt, seconds, behaviour } = task;
  const common = { id, model, status: states[phase.state], created_at: Math.floor(createdAt / 1_000) };
  if (phase.state === "failed")
    return { ...common, error: { code: behaviour.errorCode ?? "InternalServiceError", message: phase.message } };
  if (phase.state !== "completed") return common;
  const usage = { completion_tokens: seconds * 21_600, total_tokens: seconds * 21_600 };
  return {
    ...common,
    content: { video_url: videoAddress(address, id) },
    usage,
    duration: seconds,
    framespersecond: 24,
  };
}

const errorCodes: Readonly<Record<number, string>> = {
  400: "InvalidParameter",
  401: "AuthenticationError",
  403: "AccessDenied",
  404: "NotFound",
  429: "RateLimitExceeded",
};

export const volcengine: Vendor = createVendor({
  prefix: "/ark",
  endpoints: [startEndpoint, pollEndpoint, videoHost],
  authenticate: ({ headers, path }) =>
    isVideoPath(path) ? "" : admitBearer(headers, "The API key in the request is missing or invalid."),
  renderError: ({ status, code, message, path }) => ({
    error: {
      code: code ?? errorCodes[status] ?? "InternalServiceError",
      message,
      param: bracketPath(path),
      type: status === 400 ? "BadRequest" : "Error",
    },
  }),
});
