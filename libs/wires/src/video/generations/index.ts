import { withoutUndefined, type VideoWire } from "@modelgate/contracts";
import { missingFailure, asRecord, memberOf, Fields, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { renderAdditionalMembers } from "../../kind/index.ts";
import { readExtras, addressOfImage, parseImage, unreadVideoMembers, readSeconds } from "../hub/request.ts";
import type { VideoImage, VideoRequest, VideoSize } from "../hub/request.ts";
import { linesIn, parseSize } from "../hub/size.ts";
import { inspectedMembers, pollResultOf, sizeOfTask, startedAs } from "../hub/task.ts";
import type { TaskContext, VideoClient, VideoTask, RenderedVideo, PollResult, VideoVendor } from "../hub/task.ts";
import type { Parsed, Target, Wire } from "../../wire.ts";

const defaultSeconds = 5;

export const spelling = {
  negativePrompt: "negative_prompt",
  firstFrame: "image",
  lastFrame: "image_tail",
  seconds: "duration",
  size: "width",
  aspectRatio: "aspect_ratio",
  extras: "metadata",
} as const;

/** POST /v1/video/generations, for clients, other gateways and compatible vendors. */
export const generations = {
  name: "video-generations",
  vendor: {
    defaultSeconds,
    render: renderRequest,
    started: (body) => startedAs(body, body["task_id"] === undefined ? "id" : "task_id"),
    parse: parsePollResult,
  },
  client: { read: parseRequest, render: renderTask, created: renderCreated, inspectedMembers, spelling },
} as const satisfies Wire<VideoVendor, VideoClient>;

function parseRequest(body: JsonRecord): Parsed<VideoRequest> {
  const fields = new Fields(body);
  return { request: readShared(fields, fields.needText("model"), "video-generations"), dropped: [] };
}

/** Parses the members that `video-generations` and `kling-video` share. */
export function readShared(fields: Fields, model: string, wire: VideoWire): VideoRequest {
  const prompt = fields.text("prompt");
  const firstFrame = readImage(fields, "image");
  if (prompt === undefined && firstFrame === undefined)
    throw missingFailure("prompt", "Missing required parameter: prompt, or image.");
  const videos = fields.count("n", 1);
  if (videos !== undefined && videos !== 1) throw fields.wrong("n", "1: a task makes one video");
  // There is only one form of answer.
  fields.ignore("response_format", "stream");
  const seconds = readSeconds(fields, "duration") ?? readSeconds(fields, "seconds");
  fields.ignore("seconds");
  return {
    model,
    ...withoutUndefined({
      prompt,
      negativePrompt: fields.text("negative_prompt"),
      firstFrame,
      lastFrame: readImage(fields, "image_tail"),
      seconds,
      size: readSize(fields),
      aspectRatio: fields.text("aspect_ratio"),
      fps: fields.count("fps", 1),
      seed: fields.number("seed"),
      extras: readExtras(fields, "metadata"),
      additional: unreadVideoMembers(wire, fields),
    }),
  };
}

function readImage(fields: Fields, name: string): VideoImage | undefined {
  const text = fields.text(name);
  return text === undefined ? undefined : parseImage(text, name);
}

function readSize(fields: Fields): VideoSize | undefined {
  const [width, height, size] = [fields.count("width", 1), fields.count("height", 1), fields.text("size")];
  if (width !== undefined && height !== undefined) return { width, height };
  if (width !== undefined || height !== undefined)
    throw missingFailure(width === undefined ? "width" : "height", "width and height must be given together.");
  return size === undefined ? undefined : parseSize(size, "size");
}

function renderRequest(request: VideoRequest, { model }: Target): RenderedVideo {
  const additional = renderAdditionalMembers(request.additional, "video-generations");
  const { size, seconds = defaultSeconds } = request;
  const body = withoutUndefined({
    ...additional.members,
    model,
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    image: addressOfImage(request.firstFrame, "firstFrame"),
    image_tail: addressOfImage(request.lastFrame, "lastFrame"),
    duration: seconds,
    width: size?.width,
    height: size?.height,
    aspect_ratio: request.aspectRatio,
    fps: request.fps,
    seed: request.seed,
    metadata: request.extras,
  });
  return { body, dropped: additional.dropped, seconds, lines: linesIn(body) };
}

const states = {
  queued: "queued submitted pending not_start",
  in_progress: "in_progress processing running generating",
  completed: "completed succeeded succeed success done finished",
  failed: "failed failure error cancelled canceled expired",
};

function parsePollResult(body: JsonRecord): PollResult {
  const task = isRecord(body["data"]) && body["status"] === undefined ? body["data"] : body;
  const { status, url, result_url: result, video_url: video, metadata, progress, fail_reason: reason } = task;
  const urls = [url, result, video, memberOf(metadata, "url")];
  const { code, message } = asRecord(task["error"]);
  return pollResultOf(states, {
    vendorStatus: typeof status === "string" ? status.toLowerCase() : undefined,
    result: { url: urls.filter((each) => typeof each === "string").find(Boolean) },
    code,
    message: message ?? reason,
    // Vendors report the size in the task, in its metadata, or in `resolution`.
    sizes: [task, metadata, task["resolution"]],
    progress,
  });
}

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

export function renderTask(task: VideoTask, { contentUrl }: TaskContext): JsonRecord {
  const { requested, state, error } = task;
  const { width, height } = sizeOf(sizeOfTask(task));
  return {
    ...renderCreated(task),
    ...(state === "completed" ? { url: contentUrl, format: "mp4" } : {}),
    metadata: withoutUndefined({
      duration: requested.seconds,
      fps: requested.fps,
      width,
      height,
      seed: requested.seed,
    }),
    error: state === "failed" && error !== undefined ? { code: codeOf(error.code), message: error.message } : null,
  };
}

/** Converts an error code to a number, which the wires `video-generations` and `kling-video` require. */
function codeOf(code: string): number {
  if (/^\d{1,9}$/.test(code)) return Number(code);
  return code === "timeout" ? 504 : 502;
}

function sizeOf(size: string | undefined): { readonly width?: number; readonly height?: number } {
  const [width, height] = (size ?? "").split("x").map(Number);
  return width === undefined || height === undefined ? {} : { width, height };
}
