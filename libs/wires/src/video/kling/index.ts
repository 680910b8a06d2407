import { generationsCodec } from "../generations/index.ts";
import type { VideoCodec } from "../hub/codec.ts";
import { parseSighting, parseStarted } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { defaultSeconds, renderRequest } from "./render-request.ts";
import { renderCreated, renderTask } from "./render-task.ts";

/** Style C, text2video and image2video: as clients send it, and as it is sent to its vendor. */
export const klingCodec: VideoCodec = {
  wire: "kling-video",
  parseRequest,
  renderCreated,
  renderTask,
  defaultSeconds,
  renderRequest,
  parseStarted,
  parseSighting,
  spelling: generationsCodec.spelling,
};
