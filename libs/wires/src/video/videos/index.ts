import type { VideoCodec } from "../hub/codec.ts";
import { parseSighting, parseStarted } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { defaultSeconds, renderRequest } from "./render-request.ts";
import { renderTask } from "./render-task.ts";

/** Style A, POST /v1/videos: as clients send it, and as it is sent to OpenAI and compatible vendors. */
export const videosCodec: VideoCodec = {
  wire: "videos",
  parseRequest,
  renderCreated: renderTask,
  renderTask,
  defaultSeconds,
  renderRequest,
  parseStarted,
  parseSighting,
  spelling: { firstFrame: "input_reference" },
};
