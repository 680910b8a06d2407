import { unsupportedFailure } from "../../text/hub/request.ts";
import { withoutUndefined } from "@modelgate/contracts";
import { asRecord } from "@modelgate/formats/json";
import {
  additionalVideoMembers,
  addressOfImage,
  namesOfSetFields,
  droppedRate,
  refuseLastFrameAlone,
  secondsWithin,
} from "../hub/request.ts";
import type { VideoImage, VideoRequest } from "../hub/request.ts";
import { linesIn, fitShape } from "../hub/size.ts";
import { resultAt, pollResultOf, startedAs } from "../hub/task.ts";
import type { VideoClient, RenderedVideo, VideoVendor } from "../hub/task.ts";
import type { Target, Wire } from "../../wire.ts";

const defaultSeconds = 5;

/** Seedance at Volcengine Ark (`contents/generations/tasks`, https://www.volcengine.com/docs/82379/1520757). */
export const seedance = {
  name: "seedance-video",
  vendor: {
    defaultSeconds,
    render: renderRequest,
    started: (body) => startedAs(body, "id"),
    parse({ status, content, error, resolution }) {
      const { video_url: url } = asRecord(content);
      const { code, message } = asRecord(error);
      return pollResultOf(states, {
        vendorStatus: status,
        result: resultAt(url, { keptMs: resultLifetimeMs }),
        code,
        message,
        sizes: [resolution],
      });
    },
  },
} as const satisfies Wire<VideoVendor, VideoClient>;

const lengths = [2, 15] as const;
const ratios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"];
const resolutionNames = { 480: "480p", 720: "720p", 1080: "1080p", 2160: "4k" };
/** Vendor parameters that clients may set. The price is that of a video with sound, which is the vendor's default. */
const supportedExtras = ["watermark", "camera_fixed", "generate_audio", "return_last_frame"];
/** Options in the prompt that would override the priced length or resolution. */
const pricedOption = /--(?:dur(?:ation)?|rs|resolution|frames|fps|framespersecond)\b/i;

function renderRequest(request: VideoRequest, { model }: Target): RenderedVideo {
  refuseLastFrameAlone(request);
  refusePricedOption(request);
  const additional = additionalVideoMembers(request, "seedance-video", supportedExtras);
  const seconds = secondsWithin(lengths, request.seconds ?? defaultSeconds);
  const shape = fitShape(request, ratios, resolutionNames);
  const body = withoutUndefined({
    ...additional.members,
    model,
    content: contentOf(request),
    duration: seconds,
    resolution: shape.resolution,
    ratio: shape.ratio,
    seed: request.seed,
  });
  return {
    body,
    dropped: [
      ...additional.dropped,
      ...shape.dropped,
      ...namesOfSetFields(request, ["negativePrompt"]),
      ...droppedRate(request),
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
  const message = `The vendor of this model reads ${option} in a prompt as an option: set lengths and sizes in their own fields.`;
  throw unsupportedFailure("prompt", message);
}

const states = {
  queued: "queued",
  in_progress: "running",
  completed: "succeeded",
  failed: "failed cancelled expired",
};
const resultLifetimeMs = 86_400_000;
