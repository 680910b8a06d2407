import { Failure, present } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord, own } from "../../json/fields.ts";
import { renderOwn } from "../../kind/own-members.ts";
import { extrasFor } from "../hub/extras.ts";
import { addressOfImage } from "../hub/image.ts";
import { linesIn } from "../hub/lines.ts";
import { hintsIn, refuseFields, refuseLastFrameAlone, secondsWithin, type VideoRequest } from "../hub/request.ts";
import { tierAmong, tierOf } from "../hub/size.ts";
import type { VideoClient } from "../hub/task.ts";
import {
  startedAs,
  unknownResult,
  type RenderedVideo,
  type PollResult,
  type StateWords,
  type VideoVendor,
} from "../hub/vendor.ts";
import type { Target, Wire } from "../../wire.ts";

/** Length in seconds where the client gave none. */
const defaultSeconds = 5;

/** Wan at DashScope (`video-synthesis`, https://www.alibabacloud.com/help/en/model-studio/text-to-video-api-reference). */
export const wan = {
  name: "wan-video",
  vendor: { defaultSeconds, render: renderRequest, started: parseStarted, parse: parseSighting },
} as const satisfies Wire<VideoVendor, VideoClient>;

const lengths = [2, 15] as const;
const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4"];
const tiers = { 480: "480P", 720: "720P", 1080: "1080P" };
/** Parameters of the vendor that any client may set in `metadata`. */
const ownNames = ["prompt_extend", "watermark", "audio", "shot_type"];
/** Models up to 2.6 have a protocol of their own, and one family of theirs alone takes a last frame. */
const [formerModels, bothFrames] = [/^wanx?2\.[1-6]/, /kf2v/];

/** Parts of a request that the two protocols spell differently. */
interface ByProtocol {
  /** Pictures, in `input`. */
  readonly pictures: JsonRecord;
  /** The shape, in `parameters`. */
  readonly shape: JsonRecord;
  readonly dropped: readonly string[];
}

/** Renders the vendor's request. A picture decides the video's shape. */
function renderRequest(request: VideoRequest, { model }: Target): RenderedVideo {
  refuseLastFrameAlone(request);
  const own = renderOwn(request.own, "wan-video");
  const extras = extrasFor(request.extras, ownNames);
  const seconds = secondsWithin(lengths, request.seconds ?? defaultSeconds);
  const parts = formerModels.test(model) ? renderFormer(request, model) : renderCurrent(request);
  const input = present({ prompt: request.prompt, negative_prompt: request.negativePrompt, ...parts.pictures });
  const parameters = present({ ...extras.members, ...parts.shape, duration: seconds, seed: request.seed });
  return {
    body: { model, input, parameters },
    dropped: [...own.dropped, ...extras.dropped, ...parts.dropped, ...hintsIn(request, ["fps"])],
    seconds,
    lines: linesIn(parameters),
  };
}

function renderCurrent(request: VideoRequest): ByProtocol {
  const { firstFrame, lastFrame } = request;
  if (firstFrame === undefined) {
    const { tier, ratio, dropped } = tierAmong(tiers, ratios, request);
    return { pictures: {}, shape: { resolution: tier, ratio }, dropped };
  }
  const media = [
    { type: "first_frame", url: addressOfImage(firstFrame, "firstFrame") },
    ...(lastFrame === undefined ? [] : [{ type: "last_frame", url: addressOfImage(lastFrame, "lastFrame") }]),
  ];
  return { pictures: { media }, ...shapedByPicture(request) };
}

/** Renders sizes unchanged; the vendor refuses those that a model does not make. */
function renderFormer(request: VideoRequest, model: string): ByProtocol {
  const { firstFrame, lastFrame, size } = request;
  if (firstFrame === undefined)
    return {
      pictures: {},
      shape: { size: size === undefined ? undefined : `${size.width}*${size.height}` },
      dropped: hintsIn(request, ["aspectRatio"]),
    };
  const first = addressOfImage(firstFrame, "firstFrame");
  if (!bothFrames.test(model)) refuseFields(request, ["lastFrame"]);
  const last = lastFrame === undefined ? undefined : addressOfImage(lastFrame, "lastFrame");
  const pictures = bothFrames.test(model) ? { first_frame_url: first, last_frame_url: last } : { img_url: first };
  return { pictures, ...shapedByPicture(request) };
}

/** Returns the shape of a video made from a picture: the resolution of the request, the size of the picture. */
function shapedByPicture(request: VideoRequest): Omit<ByProtocol, "pictures"> {
  return { shape: { resolution: tierOf(tiers, request) }, dropped: hintsIn(request, ["size", "aspectRatio"]) };
}

const states: StateWords = {
  PENDING: "queued",
  SUSPENDED: "queued",
  RUNNING: "in_progress",
  SUCCEEDED: "completed",
  FAILED: "failed",
  CANCELED: "failed",
};
/** Time that the address of a video works. */
const keptMs = 86_400_000;

/** Reads the vendor's id of a new task. Throws Failure upstream_error where the answer has none. */
function parseStarted({ output }: JsonRecord): string {
  if (!isRecord(output)) throw new Failure("upstream_error", "The vendor did not accept the task.");
  return startedAs(new Fields(output), "task_id");
}

/** Parses the state of a task: its state, and where it has failed its own code and words. */
function parseSighting({ output }: JsonRecord): PollResult {
  if (!isRecord(output)) return unknownResult;
  const { task_status: word, code, message } = output;
  // A task that is unknown, or older than a day.
  if (word === "UNKNOWN") return { kind: "not-found" };
  const state = typeof word === "string" ? own(states, word) : undefined;
  if (state === undefined) return unknownResult;
  if (state === "failed")
    return {
      kind: "failed",
      error: {
        code: typeof code === "string" ? code : "upstream_error",
        message: typeof message === "string" ? message : `The vendor says that the task has ${String(word)}.`,
      },
    };
  if (state !== "completed") return { kind: "pending", state };
  const url = urlIn(output);
  return url === undefined ? { kind: "pending", state: "in_progress" } : { kind: "finished", result: { url, keptMs } };
}

/** Returns the address, which some models have one level deeper. */
function urlIn({ video_url: url, results }: JsonRecord): string | undefined {
  const found = url ?? (isRecord(results) ? results["video_url"] : undefined);
  return typeof found === "string" && found !== "" ? found : undefined;
}
