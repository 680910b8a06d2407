import { Failure, present } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { Parsed } from "../../wire.ts";
import { parseImage, type VideoImage } from "../hub/image.ts";
import { ownVideoMembers } from "../hub/own.ts";
import { mostSeconds, type VideoRequest } from "../hub/request.ts";
import { secondsOf } from "./frames.ts";

/** The vendor's seed for "any". */
const anySeed = -1;

/** Style D, a submitted task (interface section 2.4): its model is `req_key`, its length is given in frames. */
export function parseRequest(body: JsonRecord): Parsed<VideoRequest> {
  const fields = new Fields(body);
  const model = fields.needText("req_key");
  const prompt = fields.text("prompt");
  const [firstFrame, lastFrame] = readImages(fields);
  if (prompt === undefined && firstFrame === undefined)
    throw new Failure("missing_required_parameter", "Missing required parameter: prompt, or binary_data_base64.", {
      param: "prompt",
    });
  const seed = fields.number("seed");
  const request: VideoRequest = {
    model,
    ...present({
      prompt,
      firstFrame,
      lastFrame,
      seconds: readFrames(fields),
      aspectRatio: fields.text("aspect_ratio"),
      seed: seed === anySeed ? undefined : seed,
      own: ownVideoMembers("jimeng-video", fields),
    }),
  };
  return { request, dropped: [] };
}

function readFrames(fields: Fields): number | undefined {
  const frames = fields.count("frames", 1);
  if (frames === undefined) return undefined;
  const seconds = secondsOf(frames);
  if (seconds === undefined || seconds > mostSeconds)
    throw fields.wrong("frames", "24 for each second and one more, as in 121 or 241");
  return seconds;
}

function readImages(fields: Fields): readonly (VideoImage | undefined)[] {
  const [bytes, urls] = [fields.texts("binary_data_base64") ?? [], fields.texts("image_urls") ?? []];
  const images = [
    ...bytes.map((text, at) => parseImage(text, `binary_data_base64[${at}]`)),
    ...urls.map((text, at) => parseImage(text, `image_urls[${at}]`)),
  ];
  if (images.length > 2) throw fields.wrong("binary_data_base64", "one picture, or two for the first and last frame");
  return images;
}
