import { Failure, present } from "@modelgate/contracts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedVideo } from "../hub/codec.ts";
import { extrasFor } from "../hub/extras.ts";
import { addressOfImage, type VideoImage } from "../hub/image.ts";
import { linesIn } from "../hub/lines.ts";
import { hintsIn, refuseLastFrameAlone } from "../hub/refuse.ts";
import type { VideoRequest } from "../hub/request.ts";
import { secondsWithin } from "../hub/seconds.ts";
import { tierAmong } from "../hub/size.ts";

/** The length where the client said none, in seconds. */
export const defaultSeconds = 5;
const lengths = [2, 15] as const;
const ratios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];
const tiers = { 480: "480p", 720: "720p", 1080: "1080p", 2160: "4k" };
/** The vendor's one rate. */
const framesPerSecond = 24;
/** The vendor's own parameters that any client may set in `metadata`; its tiers and drafts have other prices. */
const ownNames = ["watermark", "camera_fixed", "generate_audio", "return_last_frame"];
/** Options in the prompt that the vendor reads as a length or a resolution, other than what the price was made from. */
const pricedOption = /--(?:dur(?:ation)?|rs|resolution|frames|fps|framespersecond)\b/i;

/** The request for this vendor, the prompt and the pictures as one content. */
export function renderRequest(request: VideoRequest, { model }: { readonly model: string }): RenderedVideo {
  refuseLastFrameAlone(request);
  refusePricedOption(request);
  const own = renderOwn(request.own, "seedance-video");
  const extras = extrasFor(request.extras, ownNames);
  const seconds = secondsWithin(lengths, request.seconds ?? defaultSeconds);
  const shape = tierAmong(tiers, ratios, request);
  const body = present({
    ...extras.members,
    model,
    content: contentOf(request),
    duration: seconds,
    resolution: shape.tier,
    ratio: shape.ratio,
    seed: request.seed,
  });
  return {
    body,
    dropped: [
      ...own.dropped,
      ...extras.dropped,
      ...shape.dropped,
      ...hintsIn(request, ["negativePrompt"]),
      ...(request.fps === framesPerSecond ? [] : hintsIn(request, ["fps"])),
    ],
    seconds,
    lines: linesIn(body),
  };
}

function contentOf({ prompt, firstFrame, lastFrame }: VideoRequest): readonly object[] {
  return [
    ...(prompt === undefined ? [] : [{ type: "text", text: prompt }]),
    ...pictureOf(firstFrame, "firstFrame", "first_frame"),
    ...pictureOf(lastFrame, "lastFrame", "last_frame"),
  ];
}

function pictureOf(image: VideoImage | undefined, param: string, role: string): readonly object[] {
  return image === undefined ? [] : [{ type: "image_url", image_url: { url: addressOfImage(image, param) }, role }];
}

function refusePricedOption({ prompt = "" }: VideoRequest): void {
  const [option] = pricedOption.exec(prompt) ?? [];
  if (option === undefined) return;
  throw new Failure(
    "unsupported_parameter",
    `The vendor of this model reads ${option} in a prompt as an option: say lengths and sizes by their own members.`,
    { param: "prompt" },
  );
}
