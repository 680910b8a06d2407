import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { renderJson, type RenderedImages } from "../hub/codec.ts";
import { unsupportedHints } from "../hub/unsupported.ts";
import { addressOf } from "../hub/image-bytes.ts";
import type { ImageField, ImageRequest, InputImage } from "../hub/request.ts";
import { writeForm, type FormEntry } from "../hub/write-form.ts";

interface Target {
  readonly model: string;
}

const says: readonly ImageField[] = [
  "count",
  "size",
  "quality",
  "style",
  "background",
  "moderation",
  "outputFormat",
  "outputCompression",
  "partialImages",
  "user",
];
/** Vendors of this wire have words of their own for these, and take them where a client of theirs says them. */
const extras: readonly ImageField[] = ["negativePrompt", "promptExtend", "watermark", "seed"];
const editSays: readonly ImageField[] = [...says, "inputFidelity", "mask"];

/** The body of POST /images/generations; some vendors take images here, and have no other endpoint for them. */
export function renderGeneration(request: ImageRequest, target: Target): RenderedImages {
  const { images } = request;
  const [only] = images.map(addressOf);
  const image = images.length > 1 ? images.map(addressOf) : only;
  const dropped = unsupportedHints(request, { says: saidBy(request, says), dialect: "images" });
  return renderJson(present({ ...membersOf(request, target), image }), dropped);
}

/** The form of POST /images/edits; all images must be there as bytes. */
export function renderEdit(request: ImageRequest, target: Target): RenderedImages {
  const { images, mask, inputFidelity } = request;
  const members = present({ ...membersOf(request, target), input_fidelity: inputFidelity });
  const [only] = images;
  const one = images.length === 1 && only !== undefined;
  const entries: FormEntry[] = [
    ...Object.entries(members).map(([name, value]): FormEntry => ({ name, value: textOf(value) })),
    ...(one ? [fileOf("image", only)] : images.map((image) => fileOf("image[]", image))),
    ...(mask === undefined ? [] : [fileOf("mask", mask)]),
  ];
  return {
    ...writeForm(entries),
    dropped: unsupportedHints(request, { says: saidBy(request, editSays), dialect: "images" }),
  };
}

function saidBy({ dialect }: ImageRequest, fields: readonly ImageField[]): readonly ImageField[] {
  return dialect === "images" ? [...fields, ...extras] : fields;
}

function membersOf(request: ImageRequest, { model }: Target): JsonRecord {
  const { size, own, stream } = request;
  return present({
    ...(own?.wire === "images" ? own.members : {}),
    model,
    prompt: request.prompt,
    n: request.count,
    size: size === undefined ? undefined : `${size.width}x${size.height}`,
    quality: request.quality,
    style: request.style,
    background: request.background,
    moderation: request.moderation,
    output_format: request.outputFormat,
    output_compression: request.outputCompression,
    response_format: alwaysBytes.test(model) ? undefined : request.responseFormat,
    user: request.user,
    stream: stream ? true : undefined,
    partial_images: request.partialImages,
    ...(request.dialect === "images" ? extrasOf(request) : {}),
  });
}

function extrasOf(request: ImageRequest): JsonRecord {
  return {
    negative_prompt: request.negativePrompt,
    prompt_extend: request.promptExtend,
    watermark: request.watermark,
    seed: request.seed,
  };
}

/** Models that always give bytes and refuse to be asked how: the gateway sees to the form itself. */
const alwaysBytes = /^(?:[\w-]+\/)?(?:chat)?gpt-image/i;

function fileOf(name: string, image: InputImage): FormEntry {
  if (image.kind !== "file") throw new Error("an image's address where its bytes are needed");
  const [, ending = "png"] = image.mediaType.split("/");
  return { name, filename: `image.${ending}`, contentType: image.mediaType, bytes: image.bytes };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
