import { Failure, present } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import type { Parsed } from "../../wire.ts";
import { ownMembers } from "../../kind/own-members.ts";
import { inputImage } from "../hub/image-bytes.ts";
import {
  mostImages,
  mostInputImages,
  mostPromptCharacters,
  type ImageRequest,
  type InputImage,
} from "../hub/request.ts";
import { parseSize } from "../hub/size.ts";

/** Images that come beside the body, as files of a form. */
export interface BroughtImages {
  readonly images: readonly InputImage[];
  readonly mask?: InputImage | undefined;
}

/**
 * The simple body in the neutral form; unknown members travel on to vendors of this wire. `brought` are the files of
 * a form. Throws Failure (400) naming the field.
 */
export function parseRequest(body: JsonRecord, brought: BroughtImages = { images: [] }): Parsed<ImageRequest> {
  const fields = new Fields(body);
  const images = [...brought.images, ...parseImages(fields)];
  if (images.length > mostInputImages)
    throw new Failure("invalid_value", `image may have at most ${mostInputImages} images.`, { param: "image" });
  const mask = brought.mask ?? parseMask(fields);
  if (mask !== undefined && images.length === 0)
    throw new Failure("missing_required_parameter", "A mask needs an image.", { param: "image" });
  const request = present({
    dialect: "images" as const,
    model: fields.needText("model"),
    prompt: parsePrompt(fields),
    images,
    mask,
    count: parseCount(fields, "n"),
    size: parseSize(fields.text("size"), "size"),
    ...parseLooks(fields),
    ...parseHints(fields),
    responseFormat: fields.word("response_format", ["url", "b64_json"]),
    stream: fields.flag("stream") ?? false,
    partialImages: fields.count("partial_images"),
    user: fields.text("user"),
  });
  const own = ownMembers("images", fields);
  return { request: own === undefined ? request : { ...request, own }, dropped: [] };
}

function parsePrompt(fields: Fields): string {
  const prompt = fields.needText("prompt");
  if (prompt.length > mostPromptCharacters)
    throw fields.wrong("prompt", `a string of at most ${mostPromptCharacters} characters`);
  return prompt;
}

/** A number of images. */
export function parseCount(fields: Fields, name: string): number | undefined {
  const count = fields.count(name, 1);
  if (count !== undefined && count > mostImages) throw fields.wrong(name, `a whole number from 1 to ${mostImages}`);
  return count;
}

function parseLooks(fields: Fields) {
  return {
    quality: fields.text("quality"),
    style: fields.text("style"),
    background: fields.word("background", ["transparent", "opaque", "auto"]),
    moderation: fields.text("moderation"),
    inputFidelity: fields.text("input_fidelity"),
    outputFormat: fields.word("output_format", ["png", "jpeg", "webp"]),
    outputCompression: parseCompression(fields),
  };
}

function parseCompression(fields: Fields): number | undefined {
  const percent = fields.count("output_compression");
  if (percent !== undefined && percent > 100) throw fields.wrong("output_compression", "a whole number from 0 to 100");
  return percent;
}

/** Hints that both dialects know, by the same names. */
export function parseHints(fields: Fields) {
  return {
    negativePrompt: fields.text("negative_prompt"),
    promptExtend: fields.flag("prompt_extend"),
    watermark: fields.flag("watermark"),
    seed: fields.count("seed", Number.MIN_SAFE_INTEGER),
  };
}

/** `image`: one or several; `images`: one or several as objects with an address. */
function parseImages(fields: Fields): readonly InputImage[] {
  return ["image", "images"].flatMap((name) => {
    const value = fields.raw(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [parseImage(value, name)];
    if (value.length > mostInputImages) throw fields.wrong(name, `at most ${mostInputImages} images`);
    return value.map((each: unknown, index) => parseImage(each, `${name}[${index}]`));
  });
}

function parseMask(fields: Fields): InputImage | undefined {
  const value = fields.raw("mask");
  return value === undefined ? undefined : parseImage(value, "mask");
}

function parseImage(value: unknown, at: string): InputImage {
  if (!isRecord(value)) return inputImage(value, at);
  if (value["file_id"] !== undefined)
    throw new Failure("unsupported_parameter", `${at}.file_id names a file of another store; send the image itself.`, {
      param: `${at}.file_id`,
    });
  const { image_url: url } = value;
  return inputImage(isRecord(url) ? url["url"] : url, `${at}.image_url`);
}
