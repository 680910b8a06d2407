import type { TaskState } from "@modelgate/contracts";
import type { VideoRequest } from "./request.ts";
import { writeSize } from "./size.ts";

/** What was asked for, as answers repeat it. It is kept with the task, so it holds no picture. */
export interface AskedVideo {
  readonly prompt?: string | undefined;
  readonly seconds: number;
  /** `<width>x<height>`. */
  readonly size?: string | undefined;
  readonly aspectRatio?: string | undefined;
  readonly fps?: number | undefined;
  readonly seed?: number | undefined;
  /** Made from a picture. */
  readonly fromImage: boolean;
  /** The resolution that the vendor was asked for (`linesIn`); no answer repeats it. */
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
  /** After this the vendor may not have the video any more. */
  readonly expiresAt?: number | undefined;
  readonly asked: AskedVideo;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** What an answer of ours needs beside the task. */
export interface TaskContext {
  readonly requestId: string;
  /** Where the client finds the finished video. */
  readonly contentUrl: string;
}

/** What is kept of a request. */
export function askedOf(request: VideoRequest, seconds: number): AskedVideo {
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
