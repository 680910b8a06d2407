import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedVideo } from "../hub/codec.ts";
import { extrasFor } from "../hub/extras.ts";
import { addressOfImage } from "../hub/image.ts";
import { linesIn } from "../hub/lines.ts";
import { hintsIn, refuseFields, refuseLastFrameAlone } from "../hub/refuse.ts";
import type { VideoRequest } from "../hub/request.ts";
import { secondsWithin } from "../hub/seconds.ts";
import { tierAmong, tierOf } from "../hub/size.ts";

/** The length where the client said none, in seconds. */
export const defaultSeconds = 5;
const lengths = [2, 15] as const;
const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4"];
const tiers = { 480: "480P", 720: "720P", 1080: "1080P" };
/** The vendor's own parameters that any client may set in `metadata`. */
const ownNames = ["prompt_extend", "watermark", "audio", "shot_type"];
/** Models up to 2.6 have a protocol of their own, and one family of theirs alone takes a last frame. */
const [formerModels, bothFrames] = [/^wanx?2\.[1-6]/, /kf2v/];

/** What of a request is said in the words of one protocol. */
interface Said {
  /** Pictures, in `input`. */
  readonly pictures: JsonRecord;
  /** The shape, in `parameters`. */
  readonly shape: JsonRecord;
  readonly dropped: readonly string[];
}

/** The request for this vendor. A picture decides the video's shape. */
export function renderRequest(request: VideoRequest, { model }: { readonly model: string }): RenderedVideo {
  refuseLastFrameAlone(request);
  const own = renderOwn(request.own, "wan-video");
  const extras = extrasFor(request.extras, ownNames);
  const seconds = secondsWithin(lengths, request.seconds ?? defaultSeconds);
  const said = formerModels.test(model) ? sayFormerly(request, model) : say(request);
  const input = present({ prompt: request.prompt, negative_prompt: request.negativePrompt, ...said.pictures });
  const parameters = present({ ...extras.members, ...said.shape, duration: seconds, seed: request.seed });
  return {
    body: { model, input, parameters },
    dropped: [...own.dropped, ...extras.dropped, ...said.dropped, ...hintsIn(request, ["fps"])],
    seconds,
    lines: linesIn(parameters),
  };
}

function say(request: VideoRequest): Said {
  const { firstFrame, lastFrame } = request;
  if (firstFrame === undefined) {
    const { tier, ratio, dropped } = tierAmong(tiers, ratios, request);
    return { pictures: {}, shape: { resolution: tier, ratio }, dropped };
  }
  const media = [
    { type: "first_frame", url: addressOfImage(firstFrame, "firstFrame") },
    ...(lastFrame === undefined ? [] : [{ type: "last_frame", url: addressOfImage(lastFrame, "lastFrame") }]),
  ];
  return { pictures: { media }, ...shapedByPicture(request) };
}

/** Sizes stand as they are; which of them a model makes, the vendor says. */
function sayFormerly(request: VideoRequest, model: string): Said {
  const { firstFrame, lastFrame, size } = request;
  if (firstFrame === undefined)
    return {
      pictures: {},
      shape: { size: size === undefined ? undefined : `${size.width}*${size.height}` },
      dropped: hintsIn(request, ["aspectRatio"]),
    };
  const first = addressOfImage(firstFrame, "firstFrame");
  if (!bothFrames.test(model)) refuseFields(request, ["lastFrame"]);
  const last = lastFrame === undefined ? undefined : addressOfImage(lastFrame, "lastFrame");
  const pictures = bothFrames.test(model) ? { first_frame_url: first, last_frame_url: last } : { img_url: first };
  return { pictures, ...shapedByPicture(request) };
}

/** The resolution is asked for, but the size is the picture's. */
function shapedByPicture(request: VideoRequest): Omit<Said, "pictures"> {
  return { shape: { resolution: tierOf(tiers, request) }, dropped: hintsIn(request, ["size", "aspectRatio"]) };
}
