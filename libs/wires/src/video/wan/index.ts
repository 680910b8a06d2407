import { withoutUndefined } from "@modelgate/contracts";
import { memberOf, asRecord, isRecord, type JsonRecord } from "@modelgate/formats/json";
import {
  additionalVideoMembers,
  addressOfImage,
  namesOfSetFields,
  refuseFields,
  refuseLastFrameAlone,
  secondsWithin,
  type VideoRequest,
} from "../hub/request.ts";
import { linesIn, fitShape, resolutionNameOf } from "../hub/size.ts";
import { resultAt, pollResultOf, startedAs, unknownResult } from "../hub/task.ts";
import type { VideoClient, RenderedVideo, PollResult, VideoVendor } from "../hub/task.ts";
import type { Target, Wire } from "../../wire.ts";

const defaultSeconds = 5;

/** Wan at DashScope (https://www.alibabacloud.com/help/en/model-studio/text-to-video-api-reference). */
export const wan = {
  name: "wan-video",
  vendor: {
    defaultSeconds,
    render: renderRequest,
    started: ({ output }) => startedAs(output, "task_id"),
    parse: parsePollResult,
  },
} as const satisfies Wire<VideoVendor, VideoClient>;

const lengths = [2, 15] as const;
const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4"];
const resolutionNames = { 480: "480P", 720: "720P", 1080: "1080P" };
/** Vendor parameters that clients may set. The price is that of a video with sound, which is the vendor's default. */
const supportedExtras = ["prompt_extend", "watermark", "audio", "shot_type"];
/** Matches models up to 2.6, which use an older protocol, and those of them that need a first and a last frame. */
const [formerModels, bothFrames] = [/^wanx?2\.[1-6]/, /kf2v/];

interface ByProtocol {
  /** Members of `input` with the images. */
  readonly pictures: JsonRecord;
  /** Members of `parameters` that set the size: `size`, or `resolution` and `ratio`. */
  readonly sizeMembers: JsonRecord;
  readonly dropped: readonly string[];
}

function renderRequest(request: VideoRequest, { model }: Target): RenderedVideo {
  refuseLastFrameAlone(request);
  const additional = additionalVideoMembers(request, "wan-video", supportedExtras);
  const seconds = secondsWithin(lengths, request.seconds ?? defaultSeconds);
  const parts = formerModels.test(model) ? renderFormer(request, model) : renderCurrent(request);
  const input = withoutUndefined({
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    ...parts.pictures,
  });
  const parameters = withoutUndefined({
    ...additional.members,
    ...parts.sizeMembers,
    duration: seconds,
    seed: request.seed,
  });
  return {
    body: { model, input, parameters },
    dropped: [...additional.dropped, ...parts.dropped, ...namesOfSetFields(request, ["fps"])],
    seconds,
    lines: linesIn(parameters),
  };
}

function renderCurrent(request: VideoRequest): ByProtocol {
  const { firstFrame, lastFrame } = request;
  if (firstFrame === undefined) {
    const { resolution, ratio, dropped } = fitShape(request, ratios, resolutionNames);
    return { pictures: {}, sizeMembers: { resolution, ratio }, dropped };
  }
  const media = [{ type: "first_frame", url: addressOfImage(firstFrame, "firstFrame") }];
  if (lastFrame !== undefined) media.push({ type: "last_frame", url: addressOfImage(lastFrame, "lastFrame") });
  return { pictures: { media }, ...sizeFromImage(request) };
}

/**
 * Renders a request in the older protocol. The size is sent unchanged, because the vendor refuses sizes that its model
 * does not support.
 */
function renderFormer(request: VideoRequest, model: string): ByProtocol {
  const { firstFrame, lastFrame, size } = request;
  if (firstFrame === undefined)
    return {
      pictures: {},
      sizeMembers: { size: size === undefined ? undefined : `${size.width}*${size.height}` },
      dropped: namesOfSetFields(request, ["aspectRatio"]),
    };
  const first = addressOfImage(firstFrame, "firstFrame");
  if (!bothFrames.test(model)) refuseFields(request, ["lastFrame"]);
  const last = addressOfImage(lastFrame, "lastFrame");
  const pictures = bothFrames.test(model) ? { first_frame_url: first, last_frame_url: last } : { img_url: first };
  return { pictures, ...sizeFromImage(request) };
}

/** Returns the size members of a video from an image. The image determines the aspect ratio. */
function sizeFromImage(request: VideoRequest): Omit<ByProtocol, "pictures"> {
  return {
    sizeMembers: { resolution: resolutionNameOf(resolutionNames, request) },
    dropped: namesOfSetFields(request, ["size", "aspectRatio"]),
  };
}

const states = {
  queued: "PENDING SUSPENDED",
  in_progress: "RUNNING",
  completed: "SUCCEEDED",
  failed: "FAILED CANCELED",
};
const resultLifetimeMs = 86_400_000;

/** Parses the answer to a poll. In the answers of some models, the address is one level deeper. */
function parsePollResult({ output, usage }: JsonRecord): PollResult {
  if (!isRecord(output)) return unknownResult;
  const { task_status: vendorStatus, code, message, video_url: url, results } = output;
  // The task does not exist, or is older than a day.
  if (vendorStatus === "UNKNOWN") return { kind: "not-found" };
  const result = resultAt(url ?? memberOf(results, "video_url"), { keptMs: resultLifetimeMs });
  const { size, video_ratio: ratio } = asRecord(usage);
  return pollResultOf(states, { vendorStatus, result, code, message, sizes: [size, ratio] });
}
