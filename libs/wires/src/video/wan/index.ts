import type { VendorVideoCodec } from "../hub/codec.ts";
import { parseSighting, parseStarted } from "./parse-answer.ts";
import { defaultSeconds, renderRequest } from "./render-request.ts";

/** Wan at DashScope (`video-synthesis`, https://www.alibabacloud.com/help/en/model-studio/text-to-video-api-reference). */
export const wanCodec: VendorVideoCodec = {
  wire: "wan-video",
  defaultSeconds,
  renderRequest,
  parseStarted,
  parseSighting,
};
