import type { ImagesVendorCodec } from "../hub/codec.ts";
import { parseAnswer } from "./parse-answer.ts";
import { renderGeneration, renderSynthesis } from "./render-request.ts";

/** What every endpoint of this vendor has in common. */
const vendor = { needsBytes: false, streams: false, parseAnswer } as const;

/** Images at once. */
export const qwenImages: ImagesVendorCodec = {
  ...vendor,
  wire: "qwen-images",
  begins: "image",
  renderRequest: renderGeneration,
};
/** Images from words as a task. */
export const qwenImageTasks: ImagesVendorCodec = {
  ...vendor,
  wire: "qwen-image-tasks",
  begins: "task",
  renderRequest: renderSynthesis,
};
/** Images from images as a task. */
export const qwenImageEditTasks: ImagesVendorCodec = { ...qwenImageTasks, wire: "qwen-image-edit-tasks" };
