import { type TaskState, Failure } from "@modelgate/contracts";
import { type JsonRecord, isRecord } from "@modelgate/formats/json";
import type { VideoRequest } from "./request.ts";
import { writeSize } from "./size.ts";
import type { ClientSide, Rendered, VendorSide } from "../../wire.ts";

export interface VideoClient extends ClientSide<VideoRequest, VideoTask, TaskContext> {
  created(task: VideoTask, context: TaskContext): JsonRecord;
}

export const inspectedMembers = ["model", "model_name", "req_key", "seconds", "duration", "frames", "n", "task_id"];

/** Values of the request that answers repeat. They are stored with the task, so they contain no image. */
export interface RequestedVideo {
  readonly prompt?: string | undefined;
  readonly seconds: number;
  readonly size?: string | undefined;
  /** Size that the vendor reports, which may differ from the requested one. */
  readonly reportedSize?: string | undefined;
  readonly aspectRatio?: string | undefined;
  readonly fps?: number | undefined;
  readonly seed?: number | undefined;
  readonly fromImage: boolean;
  /** Resolution of the vendor's request, from `linesIn`. */
  readonly lines?: number | undefined;
  /** Task whose video was remixed. */
  readonly remixOf?: string | undefined;
}

/** A video task, independent of the formats of clients and vendors. Times are Unix ms. */
export interface VideoTask {
  readonly id: string;
  readonly model: string;
  readonly state: TaskState;
  readonly progress: number;
  readonly createdAt: number;
  readonly endedAt?: number | undefined;
  /** Time after which the vendor may have deleted the video. */
  readonly expiresAt?: number | undefined;
  readonly requested: RequestedVideo;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

export interface TaskContext {
  readonly requestId: string;
  readonly contentUrl: string;
}

/** Maximum characters of a stored text. NATS does not accept the event of a task that is larger than 1 MB. */
const maxStoredCharacters = 32_000;

export function requestedVideoOf(request: VideoRequest, seconds: number): RequestedVideo {
  const { prompt, size, aspectRatio, fps, seed, firstFrame } = request;
  return {
    prompt: prompt?.slice(0, maxStoredCharacters),
    seconds,
    size: size === undefined ? undefined : writeSize(size),
    aspectRatio: aspectRatio?.slice(0, maxStoredCharacters),
    fps,
    seed,
    fromImage: firstFrame !== undefined,
  };
}

export interface RenderedVideo extends Rendered {
  /** Image that is sent as a file, on wires with forms. */
  readonly file?: { readonly name: string; readonly mediaType: string; readonly data: string } | undefined;
  /** Length in seconds, on which the price depends. */
  readonly seconds: number;
  /** Resolution from `linesIn`, on which the price depends. */
  readonly lines: number | undefined;
  /** Field with a value that makes the video more expensive than the configured price. */
  readonly unpriced?: string | undefined;
}

export interface VideoVendor extends VendorSide<VideoRequest, PollResult, RenderedVideo> {
  readonly defaultSeconds: number;
  /** Reads the vendor's id of a new task. Throws Failure upstream_rejected if the body is a refusal. */
  started(body: JsonRecord): string;
  /** Parses the answer to a poll. Never throws: an unreadable answer is `unknown`. */
  parse(body: JsonRecord): PollResult;
  /** True if the vendor accepts only an image's bytes, not its address. */
  readonly needsBytes?: true;
  /** Member in which the answer to a poll may contain the finished video, in Base64. */
  readonly videoMember?: string;
}

/** Result of a poll of a vendor's task. */
export type PollResult =
  /** The vendor did not answer, or its answer has no known state. */
  | { readonly kind: "unknown" }
  /** `progress` is in percent. */
  | {
      readonly kind: "pending";
      readonly state: "queued" | "in_progress";
      readonly progress?: number | undefined;
      /** Size of the video, `<width>x<height>`. */
      readonly size?: string | undefined;
    }
  | { readonly kind: "finished"; readonly result: VideoResult; readonly size?: string | undefined }
  | { readonly kind: "failed"; readonly error: TaskError }
  | { readonly kind: "not-found" };

export interface TaskError {
  readonly code: string;
  readonly message: string;
}

export interface VideoResult {
  /** Address of the video; absent if the vendor serves the video only at its content endpoint. */
  readonly url?: string | undefined;
  /** Time at which the vendor deletes the video, in Unix ms. */
  readonly expiresAt?: number | undefined;
  /** Lifetime of the address in ms, if the vendor does not report when it ends. */
  readonly keptMs?: number | undefined;
}

export const unknownResult: PollResult = { kind: "unknown" };

/** Vendor's words for each state, separated by spaces. */
type StateWords = Readonly<Record<TaskState, string>>;

const taskStates = ["queued", "in_progress", "completed", "failed"] as const satisfies readonly TaskState[];

/** Reads the vendor's id of a new task. Throws Failure upstream_error if it is missing. */
export function startedAs(task: unknown, name: string): string {
  if (!isRecord(task)) throw new Failure("upstream_error", "The vendor did not accept the task.");
  const id = typeof task[name] === "number" ? String(task[name]) : task[name];
  if (typeof id === "string" && /^[\w.:-]{1,200}$/.test(id)) return id;
  throw new Failure("upstream_error", "The vendor's answer does not name a task.");
}

/** Members of a vendor's report of a task. Most are not validated yet. */
interface TaskReport {
  readonly vendorStatus: unknown;
  /** Finished video; absent if its address does not exist yet. */
  readonly result?: VideoResult | undefined;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly progress?: unknown;
  readonly sizes?: readonly unknown[];
}

/** Creates the result of a poll from a vendor's report. */
export function pollResultOf(
  states: StateWords,
  { vendorStatus, result, code, message, progress, sizes = [] }: TaskReport,
): PollResult {
  const state = taskStates.find((each) => states[each].split(" ").some((word) => word === vendorStatus));
  if (state === undefined) return unknownResult;
  if (state === "failed") return failedTask(code, message, String(vendorStatus));
  const size = sizes.map(readSize).find((each) => each !== undefined);
  const reported = size === undefined ? {} : { size };
  if (state !== "completed") return { kind: "pending", state, progress: readProgress(progress), ...reported };
  return result === undefined ? { kind: "pending", state: "in_progress" } : { kind: "finished", result, ...reported };
}

/** Reads a size in pixels. Other values, such as a ratio or the name of a resolution, are ignored. */
function readSize(value: unknown): string | undefined {
  const { width, height, size } = isRecord(value) ? value : { size: value };
  const text = typeof width === "number" && typeof height === "number" ? `${width}x${height}` : size;
  const [, wide, high] = /^(\d{2,5})[x*](\d{2,5})$/i.exec(typeof text === "string" ? text : "") ?? [];
  return wide === undefined || high === undefined ? undefined : `${wide}x${high}`;
}

/** Returns the size of a task's video: the vendor's, else the requested one. */
export function sizeOfTask({ requested }: Pick<VideoTask, "requested">): string | undefined {
  return requested.reportedSize ?? requested.size;
}

export function failedTask(code: unknown, message: unknown, vendorStatus = "failed"): PollResult {
  return {
    kind: "failed",
    error: {
      code: typeof code === "string" || typeof code === "number" ? String(code) : "upstream_error",
      message:
        typeof message === "string" && message !== "" ? message : `The vendor reports the task as ${vendorStatus}.`,
    },
  };
}

export function resultAt(url: unknown, properties: Omit<VideoResult, "url">): VideoResult | undefined {
  return typeof url === "string" && url !== "" ? { url, ...properties } : undefined;
}

/** Reads the progress in percent. Vendors write 30, or "30%". */
function readProgress(value: unknown): number | undefined {
  const progress = typeof value === "string" ? Number(/^(\d{1,3})%?$/.exec(value)?.[1] ?? "") : value;
  return typeof progress === "number" && progress >= 0 && progress <= 100 && value !== "" ? progress : undefined;
}
