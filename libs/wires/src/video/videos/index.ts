import { withoutUndefined } from "@modelgate/contracts";
import { asRecord, Fields, type JsonRecord } from "@modelgate/formats/json";
import type { VideoImage, VideoRequest } from "../hub/request.ts";
import {
  additionalVideoMembers,
  parseImage,
  namesOfSetFields,
  unreadVideoMembers,
  readSeconds,
  refuseFields,
} from "../hub/request.ts";
import { linesIn, parseSize, writeSize } from "../hub/size.ts";
import { inspectedMembers, pollResultOf, sizeOfTask, startedAs } from "../hub/task.ts";
import type { VideoClient, VideoTask, RenderedVideo, VideoVendor } from "../hub/task.ts";
import type { Parsed, Target, Wire } from "../../wire.ts";

const defaultSeconds = 4;

/** POST /v1/videos, for clients, OpenAI and compatible vendors. */
export const videos = {
  name: "videos",
  vendor: {
    defaultSeconds,
    render: renderRequest,
    started: (body) => startedAs(body, "id"),
    parse({ status, error, expires_at: expiry, progress, size }) {
      const { code, message } = asRecord(error);
      const result = { expiresAt: typeof expiry === "number" ? expiry * 1_000 : undefined };
      return pollResultOf(states, { vendorStatus: status, result, code, message, progress, sizes: [size] });
    },
  },
  client: {
    read: parseRequest,
    render: renderTask,
    created: renderTask,
    inspectedMembers,
    spelling: { firstFrame: "input_reference" },
  },
} as const satisfies Wire<VideoVendor, VideoClient>;

/** Parses POST /v1/videos. A form's file is a data URL in `input_reference`. */
function parseRequest(body: JsonRecord): Parsed<VideoRequest> {
  const fields = new Fields(body);
  const model = fields.needText("model");
  const prompt = fields.needText("prompt");
  if (prompt.trim() === "") throw fields.wrong("prompt", "a non-blank string");
  const size = fields.text("size");
  const seconds = readSeconds(fields, "seconds") ?? readSeconds(fields, "duration");
  fields.ignore("duration");
  // Compatible vendors may read `n`, and make more videos than the client pays for.
  if (!["1", "undefined"].includes(String(fields.raw("n")))) throw fields.wrong("n", "1: a task makes one video");
  const request: VideoRequest = {
    model,
    prompt,
    ...withoutUndefined({
      seconds,
      size: size === undefined ? undefined : parseSize(size, "size"),
      firstFrame: parseReference(fields),
      seed: fields.number("seed"),
      additional: unreadVideoMembers("videos", fields),
    }),
  };
  return { request, dropped: [] };
}

function parseReference(fields: Fields): VideoImage | undefined {
  const value = fields.raw("input_reference");
  if (value === undefined) return undefined;
  if (typeof value === "string") return parseImage(value, "input_reference");
  const reference = fields.fields("input_reference");
  const fileId = reference?.text("file_id");
  if (fileId !== undefined) return { kind: "file", fileId };
  const url = reference?.needText("image_url");
  return url === undefined ? undefined : parseImage(url, "input_reference.image_url");
}

/** Renders a request. The bytes of an image are sent as a file of a form, but its address is sent in JSON. */
function renderRequest(request: VideoRequest, { model }: Target): RenderedVideo {
  refuseFields(request, ["negativePrompt", "lastFrame"]);
  const additional = additionalVideoMembers(request, "videos", []);
  const { firstFrame, size, seconds = defaultSeconds } = request;
  const body = withoutUndefined({
    ...additional.members,
    model,
    prompt: request.prompt,
    seconds: String(seconds),
    size: size === undefined ? undefined : writeSize(size),
    input_reference: renderReference(firstFrame),
  });
  return {
    body,
    file: firstFrame?.kind === "data" ? { name: "input_reference", ...firstFrame } : undefined,
    dropped: [...additional.dropped, ...namesOfSetFields(request, ["seed", "fps", "aspectRatio"])],
    seconds,
    lines: linesIn(body),
  };
}

function renderReference(image: VideoImage | undefined): JsonRecord | undefined {
  if (image?.kind === "url") return { image_url: image.url };
  return image?.kind === "file" ? { file_id: image.fileId } : undefined;
}

const states = {
  queued: "queued",
  in_progress: "in_progress",
  completed: "completed",
  failed: "failed cancelled expired",
};

/** Renders a task with the members that OpenAI's SDK declares. */
function renderTask(task: VideoTask): JsonRecord {
  const { requested, endedAt, expiresAt, state } = task;
  return withoutUndefined({
    id: task.id,
    object: "video",
    model: task.model,
    status: state,
    progress: task.progress,
    created_at: wholeSeconds(task.createdAt),
    completed_at: state === "completed" && endedAt !== undefined ? wholeSeconds(endedAt) : null,
    expires_at: expiresAt === undefined ? null : wholeSeconds(expiresAt),
    seconds: String(requested.seconds),
    size: sizeOfTask(task),
    prompt: requested.prompt ?? null,
    remixed_from_video_id: requested.remixOf ?? null,
    error: state === "failed" ? (task.error ?? null) : null,
  });
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
