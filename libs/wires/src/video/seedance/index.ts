import { Failure, present } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord, own } from "../../json/fields.ts";
import { renderOwn } from "../../kind/own-members.ts";
import { extrasFor } from "../hub/extras.ts";
import { addressOfImage, type VideoImage } from "../hub/image.ts";
import { linesIn } from "../hub/lines.ts";
import { hintsIn, refuseLastFrameAlone, secondsWithin, type VideoRequest } from "../hub/request.ts";
import { tierAmong } from "../hub/size.ts";
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

/** Seedance at Volcengine Ark (`contents/generations/tasks`, https://www.volcengine.com/docs/82379/1520757). */
export const seedance = {
  name: "seedance-video",
  vendor: { defaultSeconds, render: renderRequest, started: parseStarted, parse: parseSighting },
} as const satisfies Wire<VideoVendor, VideoClient>;

const lengths = [2, 15] as const;
const ratios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];
const tiers = { 480: "480p", 720: "720p", 1080: "1080p", 2160: "4k" };
/** The vendor's one rate. */
const framesPerSecond = 24;
/** The vendor's own parameters that any client may set in `metadata`; its tiers and drafts have other prices. */
const ownNames = ["watermark", "camera_fixed", "generate_audio", "return_last_frame"];
/** Options in the prompt that the vendor reads as a length or a resolution, other than what the price was made from. */
const pricedOption = /--(?:dur(?:ation)?|rs|resolution|frames|fps|framespersecond)\b/i;

/** Renders the vendor's request, the prompt and the pictures as one content. */
function renderRequest(request: VideoRequest, { model }: Target): RenderedVideo {
  refuseLastFrameAlone(request);
  refusePricedOption(request);
  const own = renderOwn(request.own, "seedance-video");
  const extras = extrasFor(request.extras, ownNames);
  const seconds = secondsWithin(lengths, request.seconds ?? defaultSeconds);
  const shape = tierAmong(tiers, ratios, request);
  const body = present({
    ...extras.members,
    model,
    content: contentOf(request),
    duration: seconds,
    resolution: shape.tier,
    ratio: shape.ratio,
    seed: request.seed,
  });
  return {
    body,
    dropped: [
      ...own.dropped,
      ...extras.dropped,
      ...shape.dropped,
      ...hintsIn(request, ["negativePrompt"]),
      ...(request.fps === framesPerSecond ? [] : hintsIn(request, ["fps"])),
    ],
    seconds,
    lines: linesIn(body),
  };
}

function contentOf({ prompt, firstFrame, lastFrame }: VideoRequest): readonly object[] {
  return [
    ...(prompt === undefined ? [] : [{ type: "text", text: prompt }]),
    ...pictureOf(firstFrame, "firstFrame", "first_frame"),
    ...pictureOf(lastFrame, "lastFrame", "last_frame"),
  ];
}

function pictureOf(image: VideoImage | undefined, param: string, role: string): readonly object[] {
  return image === undefined ? [] : [{ type: "image_url", image_url: { url: addressOfImage(image, param) }, role }];
}

function refusePricedOption({ prompt = "" }: VideoRequest): void {
  const [option] = pricedOption.exec(prompt) ?? [];
  if (option === undefined) return;
  throw new Failure(
    "unsupported_parameter",
    `The vendor of this model reads ${option} in a prompt as an option: say lengths and sizes by their own members.`,
    { param: "prompt" },
  );
}

const states: StateWords = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  cancelled: "failed",
  expired: "failed",
};
/** Time that the address of a video works. */
const keptMs = 86_400_000;

/** Reads the vendor's id of a new task. Throws Failure upstream_error where the answer has none. */
function parseStarted(body: JsonRecord): string {
  return startedAs(new Fields(body), "id");
}

/** Parses the state of a task. */
function parseSighting({ status: word, content, error }: JsonRecord): PollResult {
  const state = typeof word === "string" ? own(states, word) : undefined;
  if (state === undefined) return unknownResult;
  if (state === "failed") return { kind: "failed", error: errorOf(error, String(word)) };
  if (state !== "completed") return { kind: "pending", state };
  const { video_url: url } = isRecord(content) ? content : {};
  return typeof url === "string" && url !== ""
    ? { kind: "finished", result: { url, keptMs } }
    : { kind: "pending", state: "in_progress" };
}

function errorOf(error: unknown, word: string): { readonly code: string; readonly message: string } {
  const { code, message } = isRecord(error) ? error : {};
  return {
    code: typeof code === "string" ? code : "upstream_error",
    message: typeof message === "string" ? message : `The vendor says that the task has ${word}.`,
  };
}
