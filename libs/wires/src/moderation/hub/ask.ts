import { bytesOfTexts, type Ask } from "../../kind/ask.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import { mediaOf, measureTypedPart } from "../../text/media.ts";
import type { ModerationRequest } from "./request.ts";

/** What admission must know of a request to judge. Its output is bounded by the model that judges. */
export function askOfModeration({ request, dropped }: ParsedRequest<ModerationRequest>): Ask<ModerationRequest> {
  const parts = request.items.flatMap((item) => item.parts);
  const images = parts.flatMap((part) =>
    part.kind === "image" ? [{ type: "image_url", image_url: { url: part.url } }] : [],
  );
  return {
    model: request.model,
    textBytes: bytesOfTexts(parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))),
    media: mediaOf([images], measureTypedPart),
    maxOutputTokens: undefined,
    request,
    dropped,
  };
}
