import { present, type Units } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/index.ts";
import { countOf, unitsOf } from "../../text/hub/counts.ts";
import type { Target, Wire } from "../../wire.ts";
import { noImages, renderImageEvents, renderImages } from "../hub/answer.ts";
import type { ImagesAnswer, ImagesClient, MadeImage } from "../hub/answer.ts";
import { addressOf, bytesIn } from "../hub/image-bytes.ts";
import { imageFields, readImages, relied, unsupportedHints } from "../hub/request.ts";
import type { ImageField, ImageRequest, InputImage } from "../hub/request.ts";
import type { ImagesFormEntry, ImagesVendor, RenderedImages } from "../hub/vendor.ts";
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

/** Fields that a vendor of this wire gets only from clients of this wire. */
const extras: readonly ImageField[] = ["negativePrompt", "promptExtend", "watermark", "seed"];

/** Returns the names of optional fields that are lost; `lacking` are fields that the vendor has no member for. */
function lostHints(request: ImageRequest, lacking: readonly ImageField[]): readonly string[] {
  const lost = request.dialect === "images" ? lacking : [...lacking, ...extras];
  return unsupportedHints(request, { has: imageFields.filter((field) => !lost.includes(field)), dialect: "images" });
}

/** Renders the body of POST /images/generations. Some vendors accept images only here. */
function renderGeneration(request: ImageRequest, target: Target): RenderedImages {
  const { images } = request;
  const [only] = images.map(addressOf);
  const image = images.length > 1 ? images.map(addressOf) : only;
  const dropped = lostHints(request, ["mask", "inputFidelity"]);
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
  return { body: members, form, dropped: lostHints(request, []) };
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
    ...(request.dialect === "images" ? renderHints(request) : {}),
  });
}

/** Renders the optional fields that both dialects share, by the same names. */
export function renderHints({ negativePrompt, promptExtend, watermark, seed }: ImageRequest): JsonRecord {
  return { negative_prompt: negativePrompt, prompt_extend: promptExtend, watermark, seed };
}

/** Matches models that always return bytes and refuse `response_format`; the gateway converts the form itself. */
const alwaysBytes = /^(?:[\w-]+\/)?(?:chat)?gpt-image/i;

function fileOf(name: string, image: InputImage): ImagesFormEntry {
  const { mediaType, bytes } = bytesIn(image);
  return { name, filename: mediaType.replace("/", "."), contentType: mediaType, bytes };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Maximum number of images read from one answer; no vendor returns so many. */
const maxRead = 100;

function parseAnswer(body: JsonRecord): ImagesAnswer {
  const { created: _created, data: _data, ...more } = body;
  return readVendor(body, (fields) => {
    const images = fields.each("data", maxRead).flatMap(parseImage);
    if (images.length === 0) throw noImages();
    return { created: fields.number("created"), images, tokens: readTokens(body["usage"]), more };
  });
}

/** Parses an image. Vendors set the member that they do not use to "" or null. */
function parseImage(item: Fields): readonly MadeImage[] {
  const [url, base64] = [item.text("url"), item.text("b64_json")];
  const revised = item.text("revised_prompt");
  const more = revised === undefined || revised === "" ? {} : { revisedPrompt: revised };
  if (base64 !== undefined && base64 !== "") return [{ base64, ...more }];
  return url === undefined || url === "" ? [] : [{ url, ...more }];
}

/**
 * Reads `usage` of an answer or an event as tokens; undefined if there is none. Input counts as text unless reported as
 * images; output counts as images unless reported as text.
 */
export function readTokens(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const [input, output] = [countOf(usage["input_tokens"]), countOf(usage["output_tokens"])];
  if (input === undefined && output === undefined) return undefined;
  const [read, made] = [detailsOf(usage["input_tokens_details"]), detailsOf(usage["output_tokens_details"])];
  const cached = Math.min(read("cached_tokens"), input ?? 0);
  const images = Math.min(read("image_tokens"), (input ?? 0) - cached);
  const words = Math.min(made("text_tokens"), output ?? 0);
  return unitsOf({
    inputTokens: (input ?? 0) - cached - images,
    cachedInputTokens: cached,
    inputImageTokens: images,
    outputTokens: words,
    outputImageTokens: (output ?? 0) - words,
  });
}

function detailsOf(details: unknown): (name: string) => number {
  return (name) => (isRecord(details) ? (countOf(details[name]) ?? 0) : 0);
}
