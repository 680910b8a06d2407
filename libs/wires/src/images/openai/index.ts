import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { Target, Wire } from "../../wire.ts";
import { renderImageEvents, renderImages, type ImagesClient } from "../hub/answer.ts";
import { addressOf } from "../hub/image-bytes.ts";
import { readImages, relied } from "../hub/read.ts";
import { unsupportedHints, type ImageField, type ImageRequest, type InputImage } from "../hub/request.ts";
import type { ImagesFormEntry, ImagesVendor, RenderedImages } from "../hub/vendor.ts";
import { parseAnswer } from "./answer.ts";
import { parseRequest } from "./request.ts";

/** POST /v1/images/generations and /v1/images/edits for clients, POST /images/generations at a vendor. */
export const images = {
  name: "images",
  vendor: { begins: "image", needsBytes: false, streams: true, render: renderGeneration, parse: parseAnswer },
  client: {
    read: (body) => readImages(body, (record) => parseRequest(record)),
    render: renderImages,
    events: renderImageEvents,
    relied,
    spelling: {
      images: "image",
      count: "n",
      inputFidelity: "input_fidelity",
      outputFormat: "output_format",
      outputCompression: "output_compression",
      negativePrompt: "negative_prompt",
      promptExtend: "prompt_extend",
      partialImages: "partial_images",
    },
  },
} as const satisfies Wire<ImagesVendor, ImagesClient>;

/** POST /images/edits at a vendor: a form. */
export const imageEdits = {
  name: "image-edits",
  vendor: { begins: "image", needsBytes: true, streams: true, render: renderEdit, parse: parseAnswer },
} as const satisfies Wire<ImagesVendor, ImagesClient>;

const supported: readonly ImageField[] = [
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
/** Vendors of this wire have members for these, and take them from clients of this wire. */
const extras: readonly ImageField[] = ["negativePrompt", "promptExtend", "watermark", "seed"];
const editSupported: readonly ImageField[] = [...supported, "inputFidelity", "mask"];

/** Renders the body of POST /images/generations; some vendors take images here, and have no other endpoint for them. */
function renderGeneration(request: ImageRequest, target: Target): RenderedImages {
  const { images } = request;
  const [only] = images.map(addressOf);
  const image = images.length > 1 ? images.map(addressOf) : only;
  const dropped = unsupportedHints(request, { has: supportedFor(request, supported), dialect: "images" });
  return { body: present({ ...membersOf(request, target), image }), dropped };
}

/** Renders the form of POST /images/edits; all images must be bytes. */
function renderEdit(request: ImageRequest, target: Target): RenderedImages {
  const { images, mask, inputFidelity } = request;
  const members = present({ ...membersOf(request, target), input_fidelity: inputFidelity });
  const [only] = images;
  const one = images.length === 1 && only !== undefined;
  const form: ImagesFormEntry[] = [
    ...Object.entries(members).map(([name, value]): ImagesFormEntry => ({ name, value: textOf(value) })),
    ...(one ? [fileOf("image", only)] : images.map((image) => fileOf("image[]", image))),
    ...(mask === undefined ? [] : [fileOf("mask", mask)]),
  ];
  return {
    body: members,
    form,
    dropped: unsupportedHints(request, { has: supportedFor(request, editSupported), dialect: "images" }),
  };
}

function supportedFor({ dialect }: ImageRequest, fields: readonly ImageField[]): readonly ImageField[] {
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

/** Models that always give bytes and refuse `response_format`: the gateway converts the form itself. */
const alwaysBytes = /^(?:[\w-]+\/)?(?:chat)?gpt-image/i;

function fileOf(name: string, image: InputImage): ImagesFormEntry {
  if (image.kind !== "file") throw new Error("an image's address where its bytes are needed");
  const [, ending = "png"] = image.mediaType.split("/");
  return { name, filename: `image.${ending}`, contentType: image.mediaType, bytes: image.bytes };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
