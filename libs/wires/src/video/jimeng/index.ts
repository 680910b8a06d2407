import type { VideoCodec } from "../hub/codec.ts";
import { parseSighting, parseStarted } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { defaultSeconds, renderRequest } from "./render-request.ts";
import { renderCreated, renderTask } from "./render-task.ts";

/** Style D, submitted tasks and fetched results: as a client speaks it, and as its vendor is told. */
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
