import type { TaskState } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { VideoRequest } from "./request.ts";
import { writeSize } from "./size.ts";
import type { ClientSide } from "../../wire.ts";

/** The client side of a wire of video tasks. */
export interface VideoClient extends ClientSide<VideoRequest, VideoTask, TaskContext> {
  /** Renders the answer to a task that was just created. */
  created(task: VideoTask, context: TaskContext): JsonRecord;
}

/** Members that decide what a call may do and cost, on all wires. */
export const relied = ["model", "model_name", "req_key", "seconds", "duration", "frames", "n", "task_id"];

/** Parts of the request that answers repeat. They are kept with the task, so they hold no picture. */
export interface RequestedVideo {
  readonly prompt?: string | undefined;
  readonly seconds: number;
  /** `<width>x<height>`. */
  readonly size?: string | undefined;
  readonly aspectRatio?: string | undefined;
  readonly fps?: number | undefined;
  readonly seed?: number | undefined;
  /** Made from a picture. */
  readonly fromImage: boolean;
  /** Resolution of the request to the vendor (`linesIn`); no answer repeats it. */
  readonly lines?: number | undefined;
  /** The task whose video it was made from. */
  readonly remixOf?: string | undefined;
}

/** A task as its client sees it, in any style. Times are Unix ms. */
export interface VideoTask {
  readonly id: string;
  readonly model: string;
  readonly state: TaskState;
  readonly progress: number;
  readonly createdAt: number;
  readonly endedAt?: number | undefined;
  /** Time after which the vendor may have deleted the video. */
  readonly expiresAt?: number | undefined;
  readonly asked: RequestedVideo;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** The call that a task is rendered for. */
export interface TaskContext {
  readonly requestId: string;
  /** Address at which the client finds the finished video. */
  readonly contentUrl: string;
}

/** Returns the parts of a request that are kept. */
export function requestedVideoOf(request: VideoRequest, seconds: number): RequestedVideo {
  const { prompt, size, aspectRatio, fps, seed, firstFrame } = request;
  return {
    prompt,
    seconds,
    size: size === undefined ? undefined : writeSize(size),
    aspectRatio,
    fps,
    seed,
    fromImage: firstFrame !== undefined,
  };
}
