import { Failure, withoutUndefined } from "@modelgate/contracts";
import { memberOf, Fields, isRecord, type JsonRecord } from "@modelgate/formats/json";
import {
  generations,
  readShared,
  renderCreated as renderCreatedShared,
  renderTask as renderTaskShared,
  spelling,
} from "../generations/index.ts";
import {
  additionalVideoMembers,
  dataOf,
  namesOfSetFields,
  refuseLastFrameAlone,
  secondsAmong,
} from "../hub/request.ts";
import type { VideoImage, VideoRequest } from "../hub/request.ts";
import { linesIn, fitShape } from "../hub/size.ts";
import { inspectedMembers, resultAt, pollResultOf, startedAs, unknownResult } from "../hub/task.ts";
import type { TaskContext, VideoClient, VideoTask, RenderedVideo, PollResult, VideoVendor } from "../hub/task.ts";
import type { Parsed, Target, Wire } from "../../wire.ts";

const defaultSeconds = 5;

/** Kling's videos: text2video and image2video. */
export const kling = {
  name: "kling-video",
  vendor: {
    defaultSeconds,
    render: renderRequest,
    started: parseStarted,
    parse: parsePollResult,
  },
  client: { read: parseRequest, render: renderTask, created: renderCreated, inspectedMembers, spelling },
} as const satisfies Wire<VideoVendor, VideoClient>;

/**
 * Parses a body, with the model in `model` or, as at Kling, in `model_name`. `callback_url` and `external_task_id` are
 * not sent to vendors.
 */
function parseRequest(body: JsonRecord): Parsed<VideoRequest> {
  const fields = new Fields(body);
  const [modelName, model] = [fields.text("model_name"), fields.text("model")];
  if (modelName !== undefined && model !== undefined && modelName !== model)
    throw new Failure("invalid_value", "model and model_name name different models.", { param: "model_name" });
  const dropped = ["callback_url", "external_task_id"].filter((name) => fields.has(name));
  fields.ignore("callback_url", "external_task_id");
  return { request: readShared(fields, modelName ?? model ?? fields.needText("model"), "kling-video"), dropped };
}

const supportedSeconds = [5, 10];
const ratios = ["16:9", "9:16", "1:1"];
/** Vendor parameters that any client may set in `metadata`. */
const supportedExtras =
  "negative_prompt cfg_scale mode camera_control sound voice_list image_tail static_mask dynamic_masks".split(" ");

function renderRequest(request: VideoRequest, { model }: Target): RenderedVideo {
  const { firstFrame, lastFrame } = request;
  const additional = additionalVideoMembers(request, "kling-video", supportedExtras);
  const seconds = secondsAmong(supportedSeconds, request.seconds ?? defaultSeconds);
  refuseLastFrameAlone(request);
  const lines = additional.members["mode"] === "pro" ? 1080 : 720;
  // An image determines the shape of its video.
  const shape = fitShape(firstFrame === undefined ? request : {}, ratios, { [lines]: `${lines}p` });
  const body = withoutUndefined({
    ...additional.members,
    model_name: model,
    prompt: request.prompt,
    negative_prompt: request.negativePrompt ?? additional.members["negative_prompt"],
    image: firstFrame === undefined ? undefined : imageText(firstFrame, "firstFrame"),
    image_tail: lastFrame === undefined ? additional.members["image_tail"] : imageText(lastFrame, "lastFrame"),
    duration: String(seconds),
    aspect_ratio: shape.ratio,
  });
  return {
    body,
    dropped: [
      ...additional.dropped,
      ...shape.dropped,
      ...namesOfSetFields(request, [
        "fps",
        "seed",
        ...(firstFrame === undefined ? [] : (["size", "aspectRatio"] as const)),
      ]),
    ],
    seconds,
    lines: linesIn(body),
    unpriced: (additional.members["sound"] ?? "off") === "off" ? undefined : soundField(request),
  };
}

function soundField({ additional }: VideoRequest): string {
  return additional?.wire === "kling-video" && "sound" in additional.members ? "sound" : "extras.sound";
}

/** Renders an address, or Base64 without the prefix of a data URL. */
function imageText(image: VideoImage, param: string): string {
  return image.kind === "url" ? image.url : dataOf(image, param).data;
}

/** Words for the states; the first one is that of the documentation. The vendor's answers also use others. */
const states = {
  queued: "submitted",
  in_progress: "processing",
  completed: "succeed succeeded",
  failed: "failed",
};
/** Time for which the vendor keeps a video, in ms. */
const resultLifetimeMs = 30 * 86_400_000;

/** Reads the id of a task. Another gateway answers as in `video-generations`, without Kling's code. */
function parseStarted(body: JsonRecord): string {
  const { code, data } = body;
  if (typeof code !== "number") return generations.vendor.started(body);
  return startedAs(code === 0 ? data : undefined, "task_id");
}

function parsePollResult(body: JsonRecord): PollResult {
  const { code, data } = body;
  if (typeof code !== "number") return generations.vendor.parse(body);
  if (code !== 0 || !isRecord(data)) return unknownResult;
  const { task_status: vendorStatus, task_status_msg: message, task_result: result, updated_at: updated } = data;
  const videos = memberOf(result, "videos");
  const video: unknown = Array.isArray(videos) ? videos[0] : undefined;
  const expiresAt = typeof updated === "number" ? updated + resultLifetimeMs : undefined;
  return pollResultOf(states, {
    vendorStatus,
    message,
    result: resultAt(isRecord(video) ? video["url"] : "", { expiresAt }),
  });
}

/** Renders one object with the members of Kling's answer and of `video-generations`. */
function renderCreated(task: VideoTask, { requestId }: TaskContext): JsonRecord {
  return {
    code: 0,
    message: "SUCCEED",
    request_id: requestId,
    ...renderCreatedShared(task),
    data: { ...stateOf(task), task_info: { external_task_id: null } },
  };
}

/** Renders one object with the members of Kling's answer and of `video-generations`. */
function renderTask(task: VideoTask, context: TaskContext): JsonRecord {
  const { state, requested, error } = task;
  const video = { id: task.id, url: context.contentUrl, duration: String(requested.seconds) };
  return {
    code: 0,
    message: "SUCCEED",
    request_id: context.requestId,
    ...renderTaskShared(task, context),
    data: {
      ...stateOf(task),
      task_status_msg: state === "failed" ? (error?.message ?? "") : "",
      ...(state === "completed" ? { task_result: { videos: [video] } } : {}),
    },
  };
}

function stateOf(task: VideoTask): JsonRecord {
  return {
    task_id: task.id,
    task_status: states[task.state].split(" ", 1)[0],
    created_at: task.createdAt,
    updated_at: task.endedAt ?? task.createdAt,
  };
}
