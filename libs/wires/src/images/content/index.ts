import type { ImagesVendorCodec } from "../hub/codec.ts";
import { parseAnswer } from "./parse-answer.ts";
import { renderRequest } from "./render-request.ts";

/** Image models of the content wire: generateContent with IMAGE among what is wanted. */
export const contentImages: ImagesVendorCodec = {
  wire: "content",
  begins: "image",
  needsBytes: true,
  streams: false,
  renderRequest,
  parseAnswer,
};
