import { Failure, present } from "@modelgate/contracts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedVideo } from "../hub/codec.ts";
import { extrasFor } from "../hub/extras.ts";
import type { VideoImage } from "../hub/image.ts";
import { linesIn } from "../hub/lines.ts";
import { hintsIn, refuseFields } from "../hub/refuse.ts";
import type { VideoRequest } from "../hub/request.ts";
import { secondsAmong } from "../hub/seconds.ts";
import { ratioAmong } from "../hub/size.ts";
import { framesOf, framesPerSecond } from "./frames.ts";

/** The length where the client said none, in seconds. */
export const defaultSeconds = 5;
const lengths = [5, 10];
const ratios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];

/** The request for this vendor, whose name of the model is `req_key`. */
export function renderRequest(request: VideoRequest, { model }: { readonly model: string }): RenderedVideo {
  refuseFields(request, ["negativePrompt"]);
  const own = renderOwn(request.own, "jimeng-video");
  const seconds = secondsAmong(lengths, request.seconds ?? defaultSeconds);
  const images = [request.firstFrame, request.lastFrame].filter((image) => image !== undefined);
  const shaped = images.length === 0;
  const shape = ratioAmong(ratios, shaped ? request : {});
  const body = present({
    ...own.members,
    req_key: model,
    prompt: request.prompt,
    ...renderImages(images),
    seed: request.seed,
    frames: framesOf(seconds),
    aspect_ratio: shape.ratio,
  });
  return {
    body,
    dropped: [
      ...own.dropped,
      ...extrasFor(request.extras, []).dropped,
      ...shape.dropped,
      ...(shaped ? [] : hintsIn(request, ["size", "aspectRatio"])),
      ...(request.fps === framesPerSecond ? [] : hintsIn(request, ["fps"])),
    ],
    seconds,
    lines: linesIn(body),
  };
}

/** All as bytes, or all as addresses: the vendor takes one kind in a request. */
function renderImages(images: readonly VideoImage[]): object {
  const bytes = images.flatMap((image) => (image.kind === "data" ? [image.data] : []));
  const urls = images.flatMap((image) => (image.kind === "url" ? [image.url] : []));
  if (bytes.length === images.length) return images.length === 0 ? {} : { binary_data_base64: bytes };
  if (urls.length === images.length) return { image_urls: urls };
  throw new Failure("unsupported_parameter", "firstFrame and lastFrame must both be addresses, or both be Base64.", {
    param: "firstFrame",
  });
}
