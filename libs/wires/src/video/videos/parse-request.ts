import { present } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { Parsed } from "../../wire.ts";
import { refusePriced } from "../hub/extras.ts";
import { parseImage, type VideoImage } from "../hub/image.ts";
import { ownVideoMembers } from "../hub/own.ts";
import type { VideoRequest } from "../hub/request.ts";
import { readSeconds } from "../hub/seconds.ts";
import { parseSize } from "../hub/size.ts";

/**
 * POST /v1/videos in the neutral form. A form is read as the same members, its file as a data URL in
 * `input_reference`. `seconds` may be a number; `duration` is taken for it where it is alone.
 */
export function parseRequest(body: JsonRecord): Parsed<VideoRequest> {
  const fields = new Fields(body);
  const model = fields.needText("model");
  const prompt = fields.needText("prompt");
  if (prompt.trim() === "") throw fields.wrong("prompt", "a text that is not blank");
  const size = fields.text("size");
  const seconds = readSeconds(fields, "seconds") ?? readSeconds(fields, "duration");
  fields.ignore("duration");
  // Compatible vendors may read it, and make more than was paid for.
  if (!["1", "undefined"].includes(String(fields.raw("n")))) throw fields.wrong("n", "1: a task makes one video");
  refusePriced(body["metadata"], "metadata");
  const request: VideoRequest = {
    model,
    prompt,
    ...present({
      seconds,
      size: size === undefined ? undefined : parseSize(size, "size"),
      firstFrame: parseReference(fields),
      seed: fields.number("seed"),
      own: ownVideoMembers("videos", fields),
    }),
  };
  return { request, dropped: [] };
}

function parseReference(fields: Fields): VideoImage | undefined {
  const value = fields.raw("input_reference");
  if (value === undefined || typeof value === "string")
    return value === undefined ? undefined : parseImage(value, "input_reference");
  const reference = fields.fields("input_reference");
  const fileId = reference?.text("file_id");
  if (fileId !== undefined) return { kind: "file", fileId };
  const url = reference?.needText("image_url");
  return url === undefined ? undefined : parseImage(url, "input_reference.image_url");
}
