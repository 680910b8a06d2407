import { present } from "@modelgate/contracts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedVideo } from "../hub/codec.ts";
import { addressOfImage } from "../hub/image.ts";
import { linesIn } from "../hub/lines.ts";
import type { VideoRequest } from "../hub/request.ts";

/** The length where the client said none, in seconds. */
export const defaultSeconds = 5;

/** The request for a vendor of this wire. */
export function renderRequest(request: VideoRequest, { model }: { readonly model: string }): RenderedVideo {
  const own = renderOwn(request.own, "video-generations");
  const { firstFrame, lastFrame, size, seconds = defaultSeconds } = request;
  const body = present({
    ...own.members,
    model,
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    image: firstFrame === undefined ? undefined : addressOfImage(firstFrame, "firstFrame"),
    image_tail: lastFrame === undefined ? undefined : addressOfImage(lastFrame, "lastFrame"),
    duration: seconds,
    width: size?.width,
    height: size?.height,
    aspect_ratio: request.aspectRatio,
    fps: request.fps,
    seed: request.seed,
    metadata: request.extras,
  });
  return {
    body,
    dropped: own.dropped,
    seconds,
    lines: linesIn(body),
  };
}
