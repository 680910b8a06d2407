import { Failure, totalInputTokens, totalOutputTokens, withoutUndefined, type Units } from "@modelgate/contracts";
import { type Fields, joinInTurns, stringifyInTurns, type JsonRecord } from "@modelgate/formats/json";
import type { ClientSide, Rendered, VendorSide } from "../../wire.ts";
import { imageTypeOfBase64 } from "./image-bytes.ts";
import type { ImageRequest } from "./request.ts";
import { randomUUID } from "node:crypto";
import type { TextStreamPass } from "../../text/pass.ts";

export type MadeImage = { readonly revisedPrompt?: string | undefined } & (
  | { readonly url: string }
  | { readonly base64: string }
);

export interface ImagesAnswer {
  readonly created?: number | undefined;
  readonly images: readonly MadeImage[];
  readonly tokens?: Units | undefined;
  /** Usage that is charged: the number of images, and the tokens. */
  readonly usage?: Units | undefined;
  readonly more?: JsonRecord | undefined;
}

interface ImagesContext {
  /** Current time in Unix seconds. */
  readonly now: number;
  readonly act: "generation" | "edit";
}

export interface ImagesClient extends ClientSide<ImageRequest, ImagesAnswer, ImagesContext> {
  renderStream(answer: ImagesAnswer, context: ImagesContext): string;
}

export function imagesAnswer(answer: Omit<ImagesAnswer, "usage">): ImagesAnswer {
  return { ...answer, usage: { ...answer.tokens, images: answer.images.length } };
}

/** Renders an answer in the format of all clients. Images remain URLs or Base64, as the vendor sent them. */
export function renderImages(answer: ImagesAnswer, { now }: ImagesContext): JsonRecord {
  return withoutUndefined({
    created: answer.created ?? now,
    ...answer.more,
    data: answer.images.map(renderImage),
    usage: answer.more?.["usage"] ?? renderTokens(answer.tokens),
  });
}

/** Renders a complete answer as a stream of the wire `images`, for vendors without streams. */
export function renderImageStream(answer: ImagesAnswer, context: ImagesContext): string {
  const { data: _, created, ...more } = renderImages(answer, context);
  const type = `image_${context.act}.completed`;
  return answer.images
    .map((image) =>
      JSON.stringify({
        type,
        ...renderImage(image),
        created_at: created,
        ...defaultEventMembers,
        ...outputFormat(image),
        ...more,
      }),
    )
    .map((data) => `event: ${type}\ndata: ${data}\n\n`)
    .join("");
}

/** Members that clients expect in an event and that vendors may omit. */
const defaultEventMembers: JsonRecord = {
  size: "auto",
  quality: "auto",
  background: "auto",
  usage: {
    input_tokens: 0,
    input_tokens_details: { text_tokens: 0, image_tokens: 0 },
    output_tokens: 0,
    total_tokens: 0,
  },
};

function outputFormat(image: MadeImage): JsonRecord {
  const type = "base64" in image ? imageTypeOfBase64(image.base64) : undefined;
  return { output_format: type?.replace("image/", "") ?? "png" };
}

function renderImage(image: MadeImage): JsonRecord {
  const where = "url" in image ? { url: image.url } : { b64_json: image.base64 };
  return withoutUndefined({ ...where, revised_prompt: image.revisedPrompt });
}

function renderTokens(tokens: Units | undefined): JsonRecord | undefined {
  if (tokens === undefined) return undefined;
  const [input, output] = [totalInputTokens(tokens), totalOutputTokens(tokens)];
  const { inputImageTokens = 0, outputImageTokens = 0 } = tokens;
  // Some vendors count images and text together and report no image tokens.
  const hasDetails = inputImageTokens + outputImageTokens > 0;
  return withoutUndefined({
    input_tokens: input,
    input_tokens_details: hasDetails ? tokenDetails(input, inputImageTokens) : undefined,
    output_tokens: output,
    output_tokens_details: hasDetails ? tokenDetails(output, outputImageTokens) : undefined,
    total_tokens: input + output,
  });
}

function tokenDetails(all: number, image: number): JsonRecord {
  return { text_tokens: all - image, image_tokens: image };
}

export function imageDataUrl(base64: string): string {
  return `data:${imageTypeOfBase64(base64) ?? "application/octet-stream"};base64,${base64}`;
}

export function base64InUrl(url: string): string | undefined {
  return /^data:[^,]*;base64,(.*)$/is.exec(url)?.[1];
}

/** Creates the failure of an answer without images. `error` has the vendor's code and message, if any. */
export function noImagesFailure(error?: Fields): Failure {
  const [code, message] = [error?.text("code"), error?.text("message")];
  if (code === undefined) return new Failure("upstream_error", "The vendor's answer has no image.");
  const isInput = inputCodes.test(code);
  return new Failure(isInput ? "upstream_rejected" : "upstream_error", message, { vendorCode: code });
}

/** Codes of vendors that refuse the prompt or the image. */
const inputCodes = /^(?:DataInspectionFailed|InvalidParameter|IPInfringementSuspect|InvalidURL)|Sensitive/;

export interface RenderedImages extends Rendered {
  readonly form?: readonly ImagesFormEntry[];
}

export interface ImagesVendor extends VendorSide<ImageRequest, ImagesAnswer, RenderedImages> {
  /** True if images must be sent as bytes, not as addresses. */
  readonly needsBytes?: true;
  /** Parses a complete answer. Throws Failure upstream_rejected if the vendor refused, else upstream_error. */
  parse(body: JsonRecord): ImagesAnswer;
}

/** Forwards a vendor's stream of images unchanged. */
export interface ImagesPass {
  isFirstEvent(event: JsonRecord): boolean;
  /** Creates the forwarder of one stream. The stream ends after `max` complete images. */
  stream(max?: number): TextStreamPass;
}

interface SentImages {
  readonly body: Generator<undefined, Buffer>;
  readonly contentType: string;
}

export function writeImages({ body, form }: RenderedImages): SentImages {
  return form === undefined ? { body: stringifyInTurns(body), contentType: "application/json" } : writeForm(form);
}

export type ImagesFormEntry =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly filename: string; readonly contentType: string; readonly bytes: Buffer };

function writeForm(entries: readonly ImagesFormEntry[]): SentImages {
  const boundary = `modelgate-${randomUUID()}`;
  const pieces = entries.flatMap((entry) => {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${escapeQuotes(entry.name)}"`;
    if ("value" in entry) return [Buffer.from(`${head}\r\n\r\n${entry.value}\r\n`)];
    const file = `; filename="${escapeQuotes(entry.filename)}"\r\ncontent-type: ${entry.contentType}\r\n\r\n`;
    return [Buffer.from(head + file), entry.bytes, Buffer.from("\r\n")];
  });
  return {
    body: joinInTurns([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

function escapeQuotes(text: string): string {
  return text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
