import type { VendorVideoCodec } from "../hub/codec.ts";
import { parseSighting, parseStarted } from "./parse-answer.ts";
import { defaultSeconds, renderRequest } from "./render-request.ts";

/** Seedance at Volcengine Ark (`contents/generations/tasks`, https://www.volcengine.com/docs/82379/1520757). */
export const seedanceCodec: VendorVideoCodec = {
  wire: "seedance-video",
  defaultSeconds,
  renderRequest,
  parseStarted,
  parseSighting,
};
