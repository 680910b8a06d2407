import { Failure, withoutUndefined } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "@modelgate/formats/json";
import { additionalMembers } from "../../kind/index.ts";
import type { Parsed, Target } from "../../wire.ts";
import { imageUrl, parseInputImage } from "../hub/image-bytes.ts";
import { maxInputImages, maxPromptCharacters, parseSize, unsupportedFieldNames } from "../hub/request.ts";
import type { ImageField, ImageRequest, InputImage } from "../hub/request.ts";
import type { RenderedImages } from "../hub/vendor.ts";
import { renderDialectFields } from "../openai/index.ts";
import { parseCount, parseDialectFields } from "../openai/request.ts";

/** Parses Qwen's body. The response format and `stream` may be outside of `parameters`. */
export function parseRequest(body: JsonRecord): Parsed<ImageRequest> {
  const fields = new Fields(body);
  const content = parseContent(fields);
  const parameters = fields.fields("parameters") ?? new Fields({}, "parameters");
  const request = withoutUndefined({
    dialect: "qwen-images" as const,
    model: fields.needText("model"),
    ...content,
    count: parseCount(parameters, "n"),
    size: parseSize(parameters.text("size"), parameters.at("size")),
    ...parseDialectFields(parameters),
    responseFormat: fields.oneOf("response_format", ["url", "b64_json"]),
    stream: fields.flag("stream") ?? false,
    user: fields.text("user"),
  });
  const unread = new Set(parameters.unread());
  const additional = additionalMembers("qwen-images", parameters);
  const dropped = fields.unread().filter((path) => !unread.has(path));
  return { request: additional === undefined ? request : { ...request, own: additional }, dropped };
}

function parseContent(fields: Fields): Pick<ImageRequest, "prompt" | "images"> {
  const input = fields.fields("input") ?? new Fields(fields.need("input"), "input");
  input.need("messages");
  const [message, another] = input.each("messages", 2);
  if (message === undefined || another !== undefined) throw input.wrong("messages", "one message");
  const role = message.text("role") ?? "user";
  if (role !== "user") throw message.wrong("role", "user");
  message.need("content");
  const texts: string[] = [];
  const images: InputImage[] = [];
  for (const item of message.each("content", maxInputImages + maxTexts)) {
    const [text, image] = [item.text("text"), item.raw("image")];
    if (text === undefined && image === undefined)
      throw new Failure("invalid_value", `${item.path} must have text or image.`, { param: item.path });
    if (text !== undefined) texts.push(text);
    if (image !== undefined) images.push(parseInputImage(image, item.at("image")));
  }
  const prompt = texts.join("\n");
  const path = message.at("content");
  if (prompt === "") throw new Failure("missing_required_parameter", `${path} must contain text.`, { param: path });
  if (prompt.length > maxPromptCharacters)
    throw new Failure("invalid_value", `${path} may have at most ${maxPromptCharacters} characters.`, { param: path });
  if (images.length > maxInputImages)
    throw new Failure("invalid_value", `${path} may have at most ${maxInputImages} images.`, { param: path });
  return { prompt, images };
}

const maxTexts = 16;

const supportedFields: readonly ImageField[] = ["count", "size", "negativePrompt", "promptExtend", "watermark", "seed"];

/** Renders the body of multimodal-generation/generation: one message, images before the text. */
export function renderGeneration(request: ImageRequest, { model }: Target): RenderedImages {
  const content = [...request.images.map((image) => ({ image: imageUrl(image) })), { text: request.prompt }];
  return renderBody(request, { model, input: { messages: [{ role: "user", content }] } }, renderDialectFields(request));
}

/** Renders the body of text2image/image-synthesis, or of image2image/image-synthesis for a request with images. */
export function renderSynthesis(request: ImageRequest, { model }: Target): RenderedImages {
  const input = withoutUndefined({
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    images: request.images.length === 0 ? undefined : request.images.map(imageUrl),
  });
  // The negative prompt is a member of `input`.
  return renderBody(request, { model, input }, { ...renderDialectFields(request), negative_prompt: undefined });
}

function renderBody(request: ImageRequest, body: JsonRecord, hints: JsonRecord): RenderedImages {
  const { size, count, own } = request;
  const parameters = withoutUndefined({
    ...(own?.wire === "qwen-images" ? own.members : {}),
    ...hints,
    size: size === undefined ? undefined : `${size.width}*${size.height}`,
    // Without a number, some models make and bill four images.
    n: count ?? 1,
  });
  const dropped = unsupportedFieldNames(request, { has: supportedFields, dialect: "qwen-images" });
  return { body: { ...body, parameters }, dropped };
}
