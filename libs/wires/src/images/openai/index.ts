import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Target, Wire } from "../../wire.ts";
import { renderImageStream, renderImages, type ImagesClient } from "../hub/answer.ts";
import { imageUrl, requireImageBytes } from "../hub/image-bytes.ts";
import { imageFields, readImages, inspectedMembers, unsupportedFieldNames } from "../hub/request.ts";
import type { ImageField, ImageRequest, InputImage } from "../hub/request.ts";
import type { ImagesFormEntry, ImagesPass, ImagesVendor, RenderedImages } from "../hub/vendor.ts";
import { parseAnswer } from "./answer.ts";
import { imagesPass } from "./pass.ts";
import { parseRequest } from "./request.ts";

/** POST /v1/images/generations and /v1/images/edits for clients, POST /images/generations at a vendor. */
export const images = {
  name: "images",
  vendor: { render: renderGeneration, parse: parseAnswer },
  client: {
    read: (body) => readImages(body, (record) => parseRequest(record)),
    render: renderImages,
    renderStream: renderImageStream,
    inspectedMembers,
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
  pass: imagesPass,
} as const satisfies Wire<ImagesVendor, ImagesClient, ImagesPass>;

/** POST /images/edits at a vendor: a form. */
export const imageEdits = {
  name: "image-edits",
  vendor: { needsBytes: true, render: renderEdit, parse: parseAnswer },
  pass: imagesPass,
} as const satisfies Wire<ImagesVendor, ImagesClient, ImagesPass>;

/** Fields that a vendor receives only from clients of the dialect "images". */
const sameDialectFields: readonly ImageField[] = ["negativePrompt", "promptExtend", "watermark", "seed"];

function droppedFields(request: ImageRequest, lacking: readonly ImageField[]): readonly string[] {
  const unsupported = request.dialect === "images" ? lacking : [...lacking, ...sameDialectFields];
  return unsupportedFieldNames(request, {
    has: imageFields.filter((field) => !unsupported.includes(field)),
    dialect: "images",
  });
}

/** Renders the body of POST /images/generations, with the input images that some vendors accept only there. */
function renderGeneration(request: ImageRequest, target: Target): RenderedImages {
  const { images } = request;
  const [only] = images.map(imageUrl);
  const image = images.length > 1 ? images.map(imageUrl) : only;
  const dropped = droppedFields(request, ["mask", "inputFidelity"]);
  return { body: withoutUndefined({ ...sharedMembers(request, target), image }), dropped };
}

/** Renders the form of POST /images/edits; all images must be bytes. */
function renderEdit(request: ImageRequest, target: Target): RenderedImages {
  const { images, mask, inputFidelity } = request;
  const members = withoutUndefined({ ...sharedMembers(request, target), input_fidelity: inputFidelity });
  const [only] = images;
  const isSingle = images.length === 1 && only !== undefined;
  const form: ImagesFormEntry[] = [
    ...Object.entries(members).map(([name, value]): ImagesFormEntry => ({
      name,
      value: typeof value === "string" ? value : JSON.stringify(value),
    })),
    ...(isSingle ? [imageFormEntry("image", only)] : images.map((image) => imageFormEntry("image[]", image))),
    ...(mask === undefined ? [] : [imageFormEntry("mask", mask)]),
  ];
  return { body: members, form, dropped: droppedFields(request, []) };
}

function sharedMembers(request: ImageRequest, { model }: Target): JsonRecord {
  const { size, own, stream } = request;
  return withoutUndefined({
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
    response_format: bytesOnlyModels.test(model) ? undefined : request.responseFormat,
    user: request.user,
    stream: stream ? true : undefined,
    partial_images: request.partialImages,
    ...(request.dialect === "images" ? renderDialectFields(request) : {}),
  });
}

export function renderDialectFields({ negativePrompt, promptExtend, watermark, seed }: ImageRequest): JsonRecord {
  return { negative_prompt: negativePrompt, prompt_extend: promptExtend, watermark, seed };
}

/** Matches models that always return bytes and refuse `response_format`; the gateway converts their images itself. */
const bytesOnlyModels = /^(?:[\w-]+\/)?(?:chat)?gpt-image/i;

function imageFormEntry(name: string, image: InputImage): ImagesFormEntry {
  const { mediaType, bytes } = requireImageBytes(image);
  return { name, filename: mediaType.replace("/", "."), contentType: mediaType, bytes };
}
