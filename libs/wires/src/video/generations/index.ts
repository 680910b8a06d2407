import type { VideoCodec } from "../hub/codec.ts";
import { parseSighting, parseStarted } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { defaultSeconds, renderRequest } from "./render-request.ts";
import { renderCreated, renderTask } from "./render-task.ts";

/** Style B, POST /v1/video/generations: as clients send it, and as it is sent to other gateways and compatible vendors. */
export const generationsCodec: VideoCodec = {
  wire: "video-generations",
  parseRequest,
  renderCreated,
  renderTask,
  defaultSeconds,
  renderRequest,
  parseStarted,
  parseSighting,
  spelling: sharedSpelling(),
};

function sharedSpelling(): VideoCodec["spelling"] {
  return {
    negativePrompt: "negative_prompt",
    firstFrame: "image",
    lastFrame: "image_tail",
    seconds: "duration",
    size: "width",
    aspectRatio: "aspect_ratio",
    extras: "metadata",
  };
}
