import { bytesOfTexts, type InputSize } from "../../kind/index.ts";
import type { ImageRequest } from "./request.ts";

/** Maximum of input tokens that vendors count for one image at the highest fidelity. */
const tokensPerInputImage = 7_000;

/** Measures a request for images. */
export function sizeOf({ prompt, negativePrompt, images, mask }: ImageRequest): InputSize {
  return {
    textBytes: bytesOfTexts([prompt, negativePrompt ?? ""]),
    mediaTokens: (images.length + (mask === undefined ? 0 : 1)) * tokensPerInputImage,
    maxOutputTokens: undefined,
  };
}
