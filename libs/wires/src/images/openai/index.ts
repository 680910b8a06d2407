import type { ImagesVendorCodec } from "../hub/codec.ts";
import { parseAnswer } from "./parse-answer.ts";
import { renderEdit, renderGeneration } from "./render-request.ts";

/** POST /v1/images/generations at a vendor. */
export const imageGenerations: ImagesVendorCodec = {
  wire: "images",
  begins: "image",
  needsBytes: false,
  streams: true,
  renderRequest: renderGeneration,
  parseAnswer,
};

/** POST /v1/images/edits at a vendor: a form. */
export const imageEdits: ImagesVendorCodec = {
  wire: "image-edits",
  begins: "image",
  needsBytes: true,
  streams: true,
  renderRequest: renderEdit,
  parseAnswer,
};
