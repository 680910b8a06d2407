import { Failure, present, type TaskState } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import { renderOwn } from "../../kind/own-members.ts";
import { extrasFor } from "../hub/extras.ts";
import { parseImage, type VideoImage } from "../hub/image.ts";
import { linesIn } from "../hub/lines.ts";
import { hintsIn, maxSeconds, ownVideoMembers, refuseFields, secondsAmong, type VideoRequest } from "../hub/request.ts";
import { ratioAmong } from "../hub/size.ts";
import { relied, type TaskContext, type VideoClient, type VideoTask } from "../hub/task.ts";
import { startedAs, unknownResult, type RenderedVideo, type PollResult, type VideoVendor } from "../hub/vendor.ts";
import type { Parsed, Target, Wire } from "../../wire.ts";

/** Length in seconds where the client gave none. */
const defaultSeconds = 5;

/** Style D, submitted tasks and fetched results: for clients, and for its vendor. */
export const jimeng = {
  name: "jimeng-video",
  vendor: { defaultSeconds, render: renderRequest, started: parseStarted, parse: parseSighting },
  client: {
    read: parseRequest,
    render: renderTask,
    created: renderCreated,
    relied,
    spelling: { model: "req_key", firstFrame: "binary_data_base64", seconds: "frames", aspectRatio: "aspect_ratio" },
  },
} as const satisfies Wire<VideoVendor, VideoClient>;

/** The vendor's one rate, and the frame with which a video begins. */
const [framesPerSecond, first] = [24, 1];

function framesOf(seconds: number): number {
  return seconds * framesPerSecond + first;
}

/** Returns the length of a number of frames, in seconds; undefined where it is not a whole number of seconds. */
function secondsOf(frames: number): number | undefined {
  const seconds = (frames - first) / framesPerSecond;
  return Number.isInteger(seconds) && seconds > 0 ? seconds : undefined;
}

/** The vendor's seed for "any". */
const anySeed = -1;

/** Parses style D, a submitted task (interface section 2.4): its model is `req_key`, its length is given in frames. */
function parseRequest(body: JsonRecord): Parsed<VideoRequest> {
  const fields = new Fields(body);
  const model = fields.needText("req_key");
  const prompt = fields.text("prompt");
  const [firstFrame, lastFrame] = readImages(fields);
  if (prompt === undefined && firstFrame === undefined)
    throw new Failure("missing_required_parameter", "Missing required parameter: prompt, or binary_data_base64.", {
      param: "prompt",
    });
  const seed = fields.number("seed");
  const request: VideoRequest = {
    model,
    ...present({
      prompt,
      firstFrame,
      lastFrame,
      seconds: readFrames(fields),
      aspectRatio: fields.text("aspect_ratio"),
      seed: seed === anySeed ? undefined : seed,
      own: ownVideoMembers("jimeng-video", fields),
    }),
  };
  return { request, dropped: [] };
}

function readFrames(fields: Fields): number | undefined {
  const frames = fields.count("frames", 1);
  if (frames === undefined) return undefined;
  const seconds = secondsOf(frames);
  if (seconds === undefined || seconds > maxSeconds)
    throw fields.wrong("frames", "24 for each second and one more, as in 121 or 241");
  return seconds;
}

function readImages(fields: Fields): readonly (VideoImage | undefined)[] {
  const [bytes, urls] = [fields.texts("binary_data_base64") ?? [], fields.texts("image_urls") ?? []];
  const images = [
    ...bytes.map((text, at) => parseImage(text, `binary_data_base64[${at}]`)),
    ...urls.map((text, at) => parseImage(text, `image_urls[${at}]`)),
  ];
  if (images.length > 2) throw fields.wrong("binary_data_base64", "one picture, or two for the first and last frame");
  return images;
}

const lengths = [5, 10];
const ratios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];

/** Renders the vendor's request, whose name of the model is `req_key`. */
function renderRequest(request: VideoRequest, { model }: Target): RenderedVideo {
  refuseFields(request, ["negativePrompt"]);
  const own = renderOwn(request.own, "jimeng-video");
  const seconds = secondsAmong(lengths, request.seconds ?? defaultSeconds);
  const images = [request.firstFrame, request.lastFrame].filter((image) => image !== undefined);
  const shaped = images.length === 0;
  const shape = ratioAmong(ratios, shaped ? request : {});
  const body = present({
    ...own.members,
    req_key: model,
    prompt: request.prompt,
    ...renderImages(images),
    seed: request.seed,
    frames: framesOf(seconds),
    aspect_ratio: shape.ratio,
  });
  return {
    body,
    dropped: [
      ...own.dropped,
      ...extrasFor(request.extras, []).dropped,
      ...shape.dropped,
      ...(shaped ? [] : hintsIn(request, ["size", "aspectRatio"])),
      ...(request.fps === framesPerSecond ? [] : hintsIn(request, ["fps"])),
    ],
    seconds,
    lines: linesIn(body),
  };
}

/** Renders all pictures as bytes, or all as addresses: the vendor takes one kind in a request. */
function renderImages(images: readonly VideoImage[]): object {
  const bytes = images.flatMap((image) => (image.kind === "data" ? [image.data] : []));
  const urls = images.flatMap((image) => (image.kind === "url" ? [image.url] : []));
  if (bytes.length === images.length) return images.length === 0 ? {} : { binary_data_base64: bytes };
  if (urls.length === images.length) return { image_urls: urls };
  throw new Failure("unsupported_parameter", "firstFrame and lastFrame must both be addresses, or both be Base64.", {
    param: "firstFrame",
  });
}

const success = 10_000;
/** Codes that are not about the task: a key without access, too fast, too many at once, the vendor's own trouble. */
const passing: ReadonlySet<unknown> = new Set([50_400, 50_401, 50_402, 50_403, 50_429, 50_430, 50_500, 50_501]);
/** Time that the address of a video works. */
const keptMs = 3_600_000;

/** Reads the vendor's id of a new task. Throws Failure upstream_error where the answer has none or is a refusal. */
function parseStarted(body: JsonRecord): string {
  if (body["code"] !== success || !isRecord(body["data"]))
    throw new Failure("upstream_error", "The vendor did not accept the task.");
  return startedAs(new Fields(body["data"]), "task_id");
}

/** Parses the state of a task: first its code, then its word for the state. */
function parseSighting(body: JsonRecord): PollResult {
  const { code, message, data } = body;
  const { status, video_url: url } = isRecord(data) ? data : {};
  if (typeof code !== "number" || (passing.has(code) && status !== "done")) return unknownResult;
  if (code !== success)
    return {
      kind: "failed",
      error: { code: String(code), message: typeof message === "string" ? message : "The vendor refused the task." },
    };
  switch (status) {
    case "in_queue":
      return { kind: "pending", state: "queued" };
    case "generating":
      return { kind: "pending", state: "in_progress" };
    case "done":
      if (typeof url !== "string" || url === "") return { kind: "pending", state: "in_progress" };
      return { kind: "finished", result: { url, keptMs } };
    case "not_found":
      return { kind: "not-found" };
    case "expired":
      return { kind: "failed", error: { code: "expired", message: "The vendor let the task expire." } };
    default:
      return unknownResult;
  }
}

const words: Readonly<Record<TaskState, string>> = {
  queued: "in_queue",
  in_progress: "generating",
  completed: "done",
  failed: "done",
};
/** The vendor's code for a failure of its own. */
const failure = 50_500;

/** Renders the answer to a submitted task. */
function renderCreated(task: VideoTask, context: TaskContext): JsonRecord {
  return envelope(success, "Success", { task_id: task.id }, context);
}

/** Renders a fetched result; as at the vendor, a failed task is done with another code. */
function renderTask(task: VideoTask, context: TaskContext): JsonRecord {
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
