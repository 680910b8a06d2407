import { bytesOfTexts, type Ask } from "../../kind/ask.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import type { ImageRequest } from "./request.ts";

/** No vendor counts more input tokens for one image at the highest fidelity. */
const tokensPerInputImage = 7_000;

/** What admission must know of a request for images. */
export function askOfImages({ request, dropped }: ParsedRequest<ImageRequest>): Ask<ImageRequest> {
  const brought = request.images.length + (request.mask === undefined ? 0 : 1);
  return {
    model: request.model,
    textBytes: bytesOfTexts([request.prompt, request.negativePrompt ?? ""]),
    media: { characters: 0, tokens: brought * tokensPerInputImage },
    maxOutputTokens: undefined,
    request,
    dropped,
  };
}
