import { present } from "@modelgate/contracts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedVideo, VendorVideoCodec } from "../hub/codec.ts";
import { extrasFor } from "../hub/extras.ts";
import { dataOf, type VideoImage } from "../hub/image.ts";
import { linesIn } from "../hub/lines.ts";
import { hintsIn, refuseLastFrameAlone } from "../hub/refuse.ts";
import type { VideoRequest } from "../hub/request.ts";
import { secondsAmong } from "../hub/seconds.ts";
import { tierAmong } from "../hub/size.ts";

/** The length where the client said none, in seconds. */
export const defaultSeconds = 8;
/** What models make; those of the second generation other lengths. */
const [lengths, formerLengths] = [
  [4, 6, 8],
  [5, 6, 7, 8],
];
const formerModels = /veo-2/;
const ratios = ["16:9", "9:16"];
const tiers = { 720: "720p", 1080: "1080p", 2160: "4k" };
/** The vendor's one rate. */
const framesPerSecond = 24;

/** In what the two places that serve these models differ. */
interface Flavour {
  readonly takesSeed: boolean;
  /** The vendor's own parameters that any client may set in `metadata`; none of them changes the price. */
  readonly extras: readonly string[];
}

/** The requests of one of the places. One video is asked for, whatever the vendor's usual number is. */
export function renderFor({ takesSeed, extras: known }: Flavour): VendorVideoCodec["renderRequest"] {
  return (request, { model }): RenderedVideo => {
    refuseLastFrameAlone(request);
    const own = renderOwn(request.own, "veo-video");
    const extras = extrasFor(request.extras, known);
    const seconds = secondsAmong(formerModels.test(model) ? formerLengths : lengths, request.seconds ?? defaultSeconds);
    const shape = tierAmong(tiers, ratios, request);
    const instance = present({
      prompt: request.prompt,
      image: imageOf(request.firstFrame, "firstFrame"),
      lastFrame: imageOf(request.lastFrame, "lastFrame"),
    });
    const parameters = present({
      ...extras.members,
      sampleCount: 1,
      durationSeconds: seconds,
      aspectRatio: shape.ratio,
      resolution: shape.tier,
      negativePrompt: request.negativePrompt,
      seed: takesSeed ? request.seed : undefined,
    });
    return {
      body: { instances: [instance], parameters },
      dropped: [...own.dropped, ...extras.dropped, ...shape.dropped, ...hintsLost(request, takesSeed)],
      seconds,
      lines: linesIn(parameters),
    };
  };
}

function hintsLost(request: VideoRequest, takesSeed: boolean): readonly string[] {
  return [
    ...(takesSeed ? [] : hintsIn(request, ["seed"])),
    ...(request.fps === framesPerSecond ? [] : hintsIn(request, ["fps"])),
  ];
}

function imageOf(image: VideoImage | undefined, param: string): object | undefined {
  if (image === undefined) return undefined;
  const { mediaType, data } = dataOf(image, param);
  return { bytesBase64Encoded: data, mimeType: mediaType };
}
