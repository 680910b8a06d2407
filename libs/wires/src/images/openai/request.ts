import { unsupportedFailure } from "../../text/hub/request.ts";
import { Failure, withoutUndefined } from "@modelgate/contracts";
import { missingFailure, invalidFailure, Fields, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { additionalMembers } from "../../kind/index.ts";
import type { Parsed } from "../../wire.ts";
import { imageFile, parseInputImage } from "../hub/image-bytes.ts";
import { maxImages, maxInputImages, maxPromptCharacters, parseSize, sizeOfClass } from "../hub/request.ts";
import type { ImageRequest, InputImage } from "../hub/request.ts";

interface FormImages {
  readonly images: readonly InputImage[];
  readonly mask?: InputImage | undefined;
}

/** Parses a body of the wire `images`. `files` are the images of a form. */
export function parseRequest(body: JsonRecord, files: FormImages = { images: [] }): Parsed<ImageRequest> {
  const fields = new Fields(body);
  const images = [...files.images, ...parseImages(fields)];
  if (images.length > maxInputImages) throw invalidFailure("image", `image may have at most ${maxInputImages} images.`);
  const mask = files.mask ?? parseMask(fields);
  if (mask !== undefined && images.length === 0) throw missingFailure("image", "A mask needs an image.");
  const request = withoutUndefined({
    dialect: "images" as const,
    model: fields.needText("model"),
    prompt: parsePrompt(fields),
    images,
    mask,
    count: parseImageCount(fields, "n"),
    // A size class is passed as an additional member.
    size: sizeOfClass(body["size"]) === undefined ? parseSize(fields.text("size"), "size") : undefined,
    ...parseStyle(fields),
    ...parseDialectFields(fields),
    responseFormat: fields.oneOf("response_format", ["url", "b64_json"]),
    stream: fields.flag("stream") ?? false,
    partialImages: fields.count("partial_images"),
    user: fields.text("user"),
  });
  const additional = additionalMembers("images", fields);
  return { request: additional === undefined ? request : { ...request, additional }, dropped: [] };
}

function parsePrompt(fields: Fields): string {
  const prompt = fields.needText("prompt");
  if (prompt.length > maxPromptCharacters)
    throw fields.wrong("prompt", `a string of at most ${maxPromptCharacters} characters`);
  return prompt;
}

export function parseImageCount(fields: Fields, name: string): number | undefined {
  const count = fields.count(name, 1);
  if (count !== undefined && count > maxImages) throw fields.wrong(name, `a whole number from 1 to ${maxImages}`);
  return count;
}

function parseStyle(fields: Fields) {
  return {
    quality: fields.text("quality"),
    style: fields.text("style"),
    background: fields.oneOf("background", ["transparent", "opaque", "auto"]),
    moderation: fields.text("moderation"),
    inputFidelity: fields.text("input_fidelity"),
    outputFormat: fields.oneOf("output_format", ["png", "jpeg", "webp"]),
    outputCompression: parseCompression(fields),
  };
}

function parseCompression(fields: Fields): number | undefined {
  const percent = fields.count("output_compression");
  if (percent !== undefined && percent > 100) throw fields.wrong("output_compression", "a whole number from 0 to 100");
  return percent;
}

export function parseDialectFields(fields: Fields) {
  return {
    negativePrompt: fields.text("negative_prompt"),
    promptExtend: fields.flag("prompt_extend"),
    watermark: fields.flag("watermark"),
    seed: fields.count("seed", Number.MIN_SAFE_INTEGER),
  };
}

function parseImages(fields: Fields): readonly InputImage[] {
  return ["image", "images"].flatMap((name) => {
    const value = fields.raw(name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [parseImage(value, name)];
    if (value.length > maxInputImages) throw fields.wrong(name, `at most ${maxInputImages} images`);
    return value.map((each: unknown, index) => parseImage(each, `${name}[${index}]`));
  });
}

function parseMask(fields: Fields): InputImage | undefined {
  const value = fields.raw("mask");
  return value === undefined ? undefined : parseImage(value, "mask");
}

function parseImage(value: unknown, path: string): InputImage {
  if (!isRecord(value)) return parseInputImage(value, path);
  if (value["file_id"] !== undefined)
    throw unsupportedFailure(
      `${path}.file_id`,
      `${path}.file_id names a file in another store; send the image itself.`,
    );
  const { image_url: url } = value;
  return parseInputImage(isRecord(url) ? url["url"] : url, `${path}.image_url`);
}

export interface ImagesForm {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly { readonly name: string; readonly bytes: Buffer }[];
}

/** Matches `image` for one image, and `image[]` or `image[0]` for several. */
const imageName = /^image(?:\[\d{0,3}\])?$/;

const numberFields = new Set(["n", "output_compression", "partial_images", "seed"]);
const booleanFields = new Set(["stream", "watermark", "prompt_extend"]);

export function parseForm({ fields, files }: ImagesForm): Parsed<ImageRequest> {
  const images: InputImage[] = [];
  let mask: InputImage | undefined;
  for (const { name, bytes } of files) {
    if (name !== "mask" && !imageName.test(name))
      throw new Failure("invalid_value", `${name} must be text, not a file.`, { param: name });
    const image: InputImage = { kind: "file", at: name, ...imageFile(bytes, name) };
    if (name !== "mask") images.push(image);
    else if (mask === undefined) mask = image;
    else throw duplicateField(name);
  }
  return parseRequest(formToBody(fields), { images, mask });
}

function formToBody(fields: ImagesForm["fields"]): Readonly<Record<string, unknown>> {
  const body = new Map<string, unknown>();
  const urls: string[] = [];
  for (const [name, value] of fields) {
    if (imageName.test(name)) urls.push(value);
    else if (body.has(name)) throw duplicateField(name);
    else body.set(name, parseFieldValue(name, value));
  }
  if (urls.length > 0) body.set("image", urls);
  return Object.fromEntries(body);
}

function parseFieldValue(name: string, value: string): unknown {
  if (value === "" && name !== "prompt") return undefined;
  if (numberFields.has(name))
    return /^-?\d{1,15}$/.test(value) ? Number(value) : throwInvalidField(name, "a whole number");
  if (booleanFields.has(name))
    return value === "true" || (value === "false" ? false : throwInvalidField(name, "true or false"));
  return value;
}

function throwInvalidField(name: string, kind: string): never {
  throw new Failure("invalid_value", `${name} must be ${kind}.`, { param: name });
}

function duplicateField(name: string): Failure {
  return new Failure("invalid_value", `${name} appears more than once.`, { param: name });
}
