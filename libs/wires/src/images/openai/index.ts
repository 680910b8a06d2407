import { Failure, withoutUndefined, addUnits, failureFrames, type Units } from "@modelgate/contracts";
import { asRecord, asText, isRecord, memberOf, type JsonRecord, type Fields } from "@modelgate/formats/json";
import type { Target, Wire } from "../../wire.ts";
import { renderImageStream, renderImages, imagesAnswer, noImagesFailure } from "../hub/answer.ts";
import type {
  ImagesClient,
  ImagesAnswer,
  MadeImage,
  ImagesFormEntry,
  ImagesPass,
  ImagesVendor,
  RenderedImages,
} from "../hub/answer.ts";
import { imageUrl, requireImageBytes } from "../hub/image-bytes.ts";
import { imageFields, readImages, inspectedMembers, unsupportedFieldNames } from "../hub/request.ts";
import type { ImageField, ImageRequest, InputImage } from "../hub/request.ts";
import { parseRequest } from "./request.ts";
import { readVendor, renderAdditionalMembers } from "../../kind/index.ts";
import { parseCount, withoutZeroUnits } from "../../text/hub/counts.ts";
import { plainFrame, type SeenFrame, type TextStreamPass } from "../../text/pass.ts";
import { parseFrameRecord } from "@modelgate/formats/sse";

/** Forwarder of streams. Partial images are not counted; they only show that output has begun. */
const imagesPass: ImagesPass = { isFirstEvent: isStreamStart, stream: passStream };

/** POST /v1/images/generations and /v1/images/edits for clients, and POST /images/generations at a vendor. */
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

/** POST /images/edits at a vendor. */
export const imageEdits = {
  name: "image-edits",
  vendor: { needsBytes: true, render: renderEdit, parse: parseAnswer },
  pass: imagesPass,
} as const satisfies Wire<ImagesVendor, ImagesClient, ImagesPass>;

/** Fields that a vendor gets only from clients of the dialect "images". */
const sameDialectFields: readonly ImageField[] = ["negativePrompt", "promptExtend", "watermark", "seed"];

function droppedFields(request: ImageRequest, lacking: readonly ImageField[]): readonly string[] {
  const unsupported = request.dialect === "images" ? lacking : [...lacking, ...sameDialectFields];
  return unsupportedFieldNames(request, {
    has: imageFields.filter((field) => !unsupported.includes(field)),
    dialect: "images",
  });
}

/** Renders a request for /images/generations. Some vendors accept input images there, instead of at /images/edits. */
function renderGeneration(request: ImageRequest, target: Target): RenderedImages {
  const { images } = request;
  const [only] = images.map(imageUrl);
  const image = images.length > 1 ? images.map(imageUrl) : only;
  const dropped = droppedFields(request, ["mask", "inputFidelity"]);
  return { body: withoutUndefined({ ...sharedMembers(request, target), image }), dropped };
}

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
  const { size, stream } = request;
  const additional = renderAdditionalMembers(request.additional, "images").members;
  return withoutUndefined({
    ...additional,
    model,
    prompt: request.prompt,
    n: request.count,
    size: size === undefined ? additional["size"] : `${size.width}x${size.height}`,
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

/** Models that always return bytes and refuse `response_format`. */
const bytesOnlyModels = /^(?:[\w-]+\/)?(?:chat)?gpt-image/i;

function imageFormEntry(name: string, image: InputImage): ImagesFormEntry {
  const { mediaType, bytes } = requireImageBytes(image);
  return { name, filename: mediaType.replace("/", "."), contentType: mediaType, bytes };
}

const maxImagesRead = 100;

export function parseAnswer(body: JsonRecord): ImagesAnswer {
  const { created: _created, data: _data, ...rest } = body;
  const answer = readVendor(body, (fields): ImagesAnswer | Failure => {
    const images = fields.each("data", maxImagesRead).flatMap(parseImage);
    // Seedream reports an error for each refused image.
    if (images.length === 0) return noImagesFailure(fields.each("data", maxImagesRead)[0]?.fields("error"));
    return imagesAnswer({ created: fields.number("created"), images, tokens: readTokens(body["usage"]), more: rest });
  });
  if (answer instanceof Failure) throw answer;
  return answer;
}

/** Parses `url` or `b64_json`. A vendor may set the other one to "" or null. */
function parseImage(item: Fields): readonly MadeImage[] {
  const [url, base64] = [item.text("url"), item.text("b64_json")];
  const revised = item.text("revised_prompt");
  const rest = revised === undefined || revised === "" ? {} : { revisedPrompt: revised };
  if (base64 !== undefined && base64 !== "") return [{ base64, ...rest }];
  return url === undefined || url === "" ? [] : [{ url, ...rest }];
}

/** Reads the tokens of an answer. Without details, all input is text and all output is images. */
function readTokens(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const [input, output] = [parseCount(usage["input_tokens"]), parseCount(usage["output_tokens"])];
  if (input === undefined && output === undefined) return undefined;
  const [inputs, outputs] = [asRecord(usage["input_tokens_details"]), asRecord(usage["output_tokens_details"])];
  const cached = Math.min(parseCount(inputs["cached_tokens"]) ?? 0, input ?? 0);
  const images = Math.min(parseCount(inputs["image_tokens"]) ?? 0, (input ?? 0) - cached);
  const textTokens = Math.min(parseCount(outputs["text_tokens"]) ?? 0, output ?? 0);
  return withoutZeroUnits({
    inputTokens: (input ?? 0) - cached - images,
    cachedInputTokens: cached,
    inputImageTokens: images,
    outputTokens: textTokens,
    outputImageTokens: (output ?? 0) - textTokens,
  });
}

function passStream(max = Infinity): TextStreamPass {
  let made = 0;
  let isEnded = false;
  let hasParts = false;
  let tokens: Units = {};
  const usage = (): Units => ({ ...tokens, images: made });
  return {
    inspect(frame) {
      if (partialImagePattern.test(frame.toString("latin1", 0, maxTypeOffset)))
        return { ...plainFrame, usage: usage() };
      const event = parseFrameRecord(frame);
      if (event === undefined) return plainFrame;
      const stage = stageOf(event);
      // Seedream makes the other images of a sequence.
      if (stage === "partial_failed") return plainFrame;
      const failure = failureIn(event);
      if (failure !== undefined) return { ...plainFrame, failure };
      if (stage !== "completed" && stage !== "partial_succeeded") return plainFrame;
      const total = parseCount(memberOf(event["usage"], "generated_images"));
      hasParts ||= stage === "partial_succeeded";
      // A gateway may remove the number from the last event.
      const isEnd = hasParts && stage === "completed" && !hasImage(event);
      made = total === undefined ? made + (isEnd ? 0 : 1) : Math.max(made, total);
      isEnded = isEnd || total !== undefined;
      tokens = addUnits(tokens, readTokens(event["usage"]) ?? {});
      return { ...plainFrame, usage: usage(), done: stage === "completed" };
    },
    get endsWithConnection() {
      // While requested images are missing, a completed image does not end the stream.
      return !isEnded && made < max;
    },
    // Events of this wire do not name the model.
    renameFrame: (frame) => frame,
    extractRawText: () => "",
    extractText: () => "",
    showsReasoning: () => false,
    failureFrame: failureFrames.images,
    heartbeat: ": keep-alive\n\n",
  };
}

function failureIn(event: JsonRecord): SeenFrame["failure"] {
  if (!isRecord(event["error"]) && event["type"] !== "error") return undefined;
  const { code, message } = isRecord(event["error"]) ? event["error"] : event;
  return { type: "failure", code: asText(code), message: asText(message) };
}

function hasImage({ b64_json: data, url }: JsonRecord): boolean {
  return [data, url].some((text) => typeof text === "string" && text !== "");
}

/** Matches the frame of a partial image, so that its data need not be parsed. */
const partialImagePattern = /^(?:event: ?|data: ?\{[^}]*"type" ?: ?")image_\w+\.partial_image/m;
const maxTypeOffset = 400;

function isStreamStart(event: JsonRecord): boolean {
  const { type, error } = event;
  return typeof type === "string" && type !== "error" && (!isRecord(error) || stageOf(event) === "partial_failed");
}

/**
 * Returns the last part of an event's type. Seedream sends one `partial_succeeded` or `partial_failed` per image, and
 * then one `completed` with the number of images (https://www.volcengine.com/docs/82379/1824137).
 */
function stageOf({ type }: JsonRecord): string | undefined {
  return typeof type === "string" ? type.split(".").at(-1) : undefined;
}
