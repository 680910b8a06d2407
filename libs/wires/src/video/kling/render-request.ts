import { present } from "@modelgate/contracts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedVideo } from "../hub/codec.ts";
import { extrasFor } from "../hub/extras.ts";
import { dataOf, type VideoImage } from "../hub/image.ts";
import { linesIn } from "../hub/lines.ts";
import { hintsIn, refuseLastFrameAlone } from "../hub/refuse.ts";
import type { VideoRequest } from "../hub/request.ts";
import { secondsAmong } from "../hub/seconds.ts";
import { ratioAmong, type FittedShape } from "../hub/size.ts";

/** The length where the client said none, in seconds. */
export const defaultSeconds = 5;
const lengths = [5, 10];
const ratios = ["16:9", "9:16", "1:1"];
/** The vendor's own parameters that any client may set in `metadata`. */
const ownNames =
  "negative_prompt cfg_scale mode camera_control sound voice_list image_tail static_mask dynamic_masks".split(" ");

/** The request for this vendor. A picture decides the video's shape, so a shape beside it is dropped by name. */
export function renderRequest(request: VideoRequest, { model }: { readonly model: string }): RenderedVideo {
  const { firstFrame, lastFrame } = request;
  const own = renderOwn(request.own, "kling-video");
  const extras = extrasFor(request.extras, ownNames);
  const seconds = secondsAmong(lengths, request.seconds ?? defaultSeconds);
  refuseLastFrameAlone(request);
  const shape = firstFrame === undefined ? ratioAmong(ratios, request) : pictured;
  const body = present({
    ...extras.members,
    ...own.members,
    model_name: model,
    prompt: request.prompt,
    negative_prompt: request.negativePrompt ?? extras.members["negative_prompt"],
    image: firstFrame === undefined ? undefined : imageText(firstFrame, "firstFrame"),
    image_tail: lastFrame === undefined ? extras.members["image_tail"] : imageText(lastFrame, "lastFrame"),
    duration: String(seconds),
    aspect_ratio: shape.ratio,
  });
  return {
    body,
    dropped: [
      ...own.dropped,
      ...extras.dropped,
      ...shape.dropped,
      ...hintsIn(request, ["fps", "seed", ...(firstFrame === undefined ? [] : (["size", "aspectRatio"] as const))]),
    ],
    seconds,
    lines: linesIn(body),
  };
}

/** A picture has a shape of its own. */
const pictured: FittedShape = { ratio: undefined, dropped: [] };

/** An address, or Base64 without the beginning of a data URL. */
function imageText(image: VideoImage, param: string): string {
  return image.kind === "url" ? image.url : dataOf(image, param).data;
}
