import type { VideoCodec } from "../hub/codec.ts";
import { parseSighting, parseStarted } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { defaultSeconds, renderRequest } from "./render-request.ts";
import { renderCreated, renderTask } from "./render-task.ts";

/** Style D, submitted tasks and fetched results: as clients send it, and as it is sent to its vendor. */
export const jimengCodec: VideoCodec = {
  wire: "jimeng-video",
  parseRequest,
  renderCreated,
  renderTask,
  defaultSeconds,
  renderRequest,
  parseStarted,
  parseSighting,
  spelling: { model: "req_key", firstFrame: "binary_data_base64", seconds: "frames", aspectRatio: "aspect_ratio" },
};
