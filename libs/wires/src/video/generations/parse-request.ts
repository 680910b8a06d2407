import { type VideoWire, present } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { Parsed } from "../../wire.ts";
import { readExtras } from "../hub/extras.ts";
import { parseImage, type VideoImage } from "../hub/image.ts";
import { ownVideoMembers } from "../hub/own.ts";
import type { VideoRequest } from "../hub/request.ts";
import { readSeconds } from "../hub/seconds.ts";
import { parseSize, type VideoSize } from "../hub/size.ts";
import { Failure } from "@modelgate/contracts";

/** POST /v1/video/generations in the neutral form (interface section 2.3). */
export function parseRequest(body: JsonRecord): Parsed<VideoRequest> {
  const fields = new Fields(body);
  return { request: readShared(fields, fields.needText("model"), "video-generations"), dropped: [] };
}

/** The members that styles B and C share. */
export function readShared(fields: Fields, model: string, wire: VideoWire): VideoRequest {
  const prompt = fields.text("prompt");
  const firstFrame = readImage(fields, "image");
  if (prompt === undefined && firstFrame === undefined)
    throw new Failure("missing_required_parameter", "Missing required parameter: prompt, or image.", {
      param: "prompt",
    });
  const videos = fields.count("n", 1);
  if (videos !== undefined && videos !== 1) throw fields.wrong("n", "1: a task makes one video");
  // The one form of answer that there is.
  fields.ignore("response_format", "stream");
  const seconds = readSeconds(fields, "duration") ?? readSeconds(fields, "seconds");
  fields.ignore("seconds");
  return {
    model,
    ...present({
      prompt,
      negativePrompt: fields.text("negative_prompt"),
      firstFrame,
      lastFrame: readImage(fields, "image_tail"),
      seconds,
      size: readSize(fields),
      aspectRatio: fields.text("aspect_ratio"),
      fps: fields.count("fps", 1),
      seed: fields.number("seed"),
      extras: readExtras(fields, "metadata"),
      own: ownVideoMembers(wire, fields),
    }),
  };
}

function readImage(fields: Fields, name: string): VideoImage | undefined {
  const text = fields.text(name);
  return text === undefined ? undefined : parseImage(text, name);
}

function readSize(fields: Fields): VideoSize | undefined {
  const [width, height, size] = [fields.count("width", 1), fields.count("height", 1), fields.text("size")];
  if (width !== undefined && height !== undefined) return { width, height };
  if (width !== undefined || height !== undefined)
    throw new Failure("missing_required_parameter", "width and height must be given together.", {
      param: width === undefined ? "width" : "height",
    });
  return size === undefined ? undefined : parseSize(size, "size");
}
