import { unsupportedFailure } from "../../text/hub/request.ts";
import { withoutUndefined, type TaskState } from "@modelgate/contracts";
import { missingFailure, asRecord, Fields, type JsonRecord } from "@modelgate/formats/json";
import type { VideoImage, VideoRequest } from "../hub/request.ts";
import {
  additionalVideoMembers,
  parseImage,
  framesPerSecond,
  namesOfSetFields,
  maxSeconds,
  droppedRate,
  unreadVideoMembers,
  refuseFields,
  secondsAmong,
} from "../hub/request.ts";
import { linesIn, fitShape } from "../hub/size.ts";
import { inspectedMembers, failedTask, resultAt, pollResultOf, startedAs, unknownResult } from "../hub/task.ts";
import type { TaskContext, VideoClient, VideoTask, RenderedVideo, PollResult, VideoVendor } from "../hub/task.ts";
import type { Parsed, Target, Wire } from "../../wire.ts";

const defaultSeconds = 5;

/** Jimeng's videos. `Action` in the query submits or fetches a task. */
export const jimeng = {
  name: "jimeng-video",
  vendor: {
    defaultSeconds,
    render: renderRequest,
    started: ({ code, data }) => startedAs(code === successCode ? data : undefined, "task_id"),
    parse: parsePollResult,
  },
  client: {
    read: parseRequest,
    render: renderTask,
    created: (task, context) => envelope(successCode, "Success", { task_id: task.id }, context),
    inspectedMembers,
    spelling: { model: "req_key", firstFrame: "binary_data_base64", seconds: "frames", aspectRatio: "aspect_ratio" },
  },
} as const satisfies Wire<VideoVendor, VideoClient>;

/** Number of frames in addition to those of a video's seconds. */
const uncountedFrames = 1;

const anySeed = -1;

/** Parses the body of a new task: `req_key` is the model, and `frames` is the length. */
function parseRequest(body: JsonRecord): Parsed<VideoRequest> {
  const fields = new Fields(body);
  const model = fields.needText("req_key");
  const prompt = fields.text("prompt");
  const [firstFrame, lastFrame] = readImages(fields);
  if (prompt === undefined && firstFrame === undefined)
    throw missingFailure("prompt", "Missing required parameter: prompt, or binary_data_base64.");
  const seed = fields.number("seed");
  const request: VideoRequest = {
    model,
    ...withoutUndefined({
      prompt,
      firstFrame,
      lastFrame,
      seconds: readFrames(fields),
      aspectRatio: fields.text("aspect_ratio"),
      seed: seed === anySeed ? undefined : seed,
      additional: unreadVideoMembers("jimeng-video", fields),
    }),
  };
  return { request, dropped: [] };
}

function readFrames(fields: Fields): number | undefined {
  const frames = fields.count("frames", 1);
  if (frames === undefined) return undefined;
  const seconds = (frames - uncountedFrames) / framesPerSecond;
  if (!Number.isInteger(seconds) || seconds <= 0 || seconds > maxSeconds)
    throw fields.wrong("frames", "24 per second plus 1, for example 121 or 241");
  return seconds;
}

function readImages(fields: Fields): readonly (VideoImage | undefined)[] {
  const [bytes, urls] = [fields.texts("binary_data_base64") ?? [], fields.texts("image_urls") ?? []];
  const images = [
    ...bytes.map((text, index) => parseImage(text, `binary_data_base64[${index}]`)),
    ...urls.map((text, index) => parseImage(text, `image_urls[${index}]`)),
  ];
  if (images.length > 2) throw fields.wrong("binary_data_base64", "one picture, or two for the first and last frame");
  return images;
}

const lengths = [5, 10];
const ratios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];
/** Matches models that make videos with 1080 lines. The others make 720. */
const highResolution = /1080|_pro$/;

function renderRequest(request: VideoRequest, { model }: Target): RenderedVideo {
  refuseFields(request, ["negativePrompt"]);
  const additional = additionalVideoMembers(request, "jimeng-video", []);
  const seconds = secondsAmong(lengths, request.seconds ?? defaultSeconds);
  const images = [request.firstFrame, request.lastFrame].filter((image) => image !== undefined);
  const isFromText = images.length === 0;
  const lines = highResolution.test(model) ? 1080 : 720;
  const shape = fitShape(isFromText ? request : {}, ratios, { [lines]: `${lines}p` });
  const body = withoutUndefined({
    ...additional.members,
    req_key: model,
    prompt: request.prompt,
    ...renderImages(images),
    seed: request.seed,
    frames: seconds * framesPerSecond + uncountedFrames,
    aspect_ratio: shape.ratio,
  });
  return {
    body,
    dropped: [
      ...additional.dropped,
      ...shape.dropped,
      ...(isFromText ? [] : namesOfSetFields(request, ["size", "aspectRatio"])),
      ...droppedRate(request),
    ],
    seconds,
    lines: linesIn(body),
  };
}

/** Renders the images. In one request, the vendor accepts either only bytes or only addresses. */
function renderImages(images: readonly VideoImage[]): object {
  const bytes = images.flatMap((image) => (image.kind === "data" ? [image.data] : []));
  const urls = images.flatMap((image) => (image.kind === "url" ? [image.url] : []));
  if (bytes.length === images.length) return images.length === 0 ? {} : { binary_data_base64: bytes };
  if (urls.length === images.length) return { image_urls: urls };
  throw unsupportedFailure("firstFrame", "firstFrame and lastFrame must both be addresses, or both be Base64.");
}

const successCode = 10_000;
/** Codes that do not mean a failed task, such as those of limits. */
const transientCodes: ReadonlySet<unknown> = new Set([50_400, 50_401, 50_402, 50_403, 50_429, 50_430, 50_500, 50_501]);
const resultLifetimeMs = 3_600_000;

const states = {
  queued: "in_queue",
  in_progress: "generating",
  completed: "done",
  failed: "expired",
};

function parsePollResult({ code, message, data }: JsonRecord): PollResult {
  const { status, video_url: url } = asRecord(data);
  if (typeof code !== "number" || (transientCodes.has(code) && status !== "done")) return unknownResult;
  if (code !== successCode) return failedTask(code, message);
  if (status === "not_found") return { kind: "not-found" };
  return pollResultOf(states, {
    vendorStatus: status,
    result: resultAt(url, { keptMs: resultLifetimeMs }),
    code: "expired",
  });
}

const vendorStatuses: Readonly<Record<TaskState, string>> = {
  queued: "in_queue",
  in_progress: "generating",
  completed: "done",
  failed: "done",
};
const internalErrorCode = 50_500;

/** Renders a task. As at the vendor, a failed task has the state `done` and an error code. */
function renderTask(task: VideoTask, context: TaskContext): JsonRecord {
  const { state, error } = task;
  const data = { status: vendorStatuses[state], task_id: task.id };
  if (state === "failed") return envelope(codeOf(error?.code), error?.message ?? "failed", data, context);
  return envelope(
    successCode,
    "Success",
    state === "completed" ? { ...data, video_url: context.contentUrl } : data,
    context,
  );
}

function envelope(code: number, message: string, data: JsonRecord, { requestId }: TaskContext): JsonRecord {
  return { code, message, request_id: requestId, status: code, time_elapsed: "0 ms", data };
}

function codeOf(code: string | undefined): number {
  return code !== undefined && /^5\d{4}$/.test(code) ? Number(code) : internalErrorCode;
}
