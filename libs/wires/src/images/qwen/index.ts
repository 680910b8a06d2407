import { Failure, withoutUndefined, type Units } from "@modelgate/contracts";
import { isRecord, Fields, type JsonRecord } from "@modelgate/formats/json";
import { readVendor, additionalMembers, renderAdditionalMembers } from "../../kind/index.ts";
import { parseCount, withoutZeroUnits } from "../../text/hub/counts.ts";
import type { Wire, Parsed, Target } from "../../wire.ts";
import { imagesAnswer, noImagesFailure, renderImageStream, renderImages } from "../hub/answer.ts";
import type { ImagesAnswer, ImagesClient, MadeImage, ImagesVendor, RenderedImages } from "../hub/answer.ts";
import {
  readImages,
  inspectedMembers,
  maxInputImages,
  maxPromptCharacters,
  parseSize,
  unsupportedFieldNames,
} from "../hub/request.ts";
import type { ImageField, ImageRequest, InputImage } from "../hub/request.ts";
import { imageUrl, parseInputImage } from "../hub/image-bytes.ts";
import { renderDialectFields } from "../openai/index.ts";
import { parseImageCount, parseDialectFields } from "../openai/request.ts";

/** Qwen's images, requested synchronously. The vendor may still answer with a task. */
export const qwen = {
  name: "qwen-images",
  vendor: { render: renderGeneration, parse: parseAnswer, taskOf },
  client: {
    read: (body) => readImages(body, parseRequest),
    render: renderImages,
    renderStream: renderImageStream,
    inspectedMembers,
    spelling: {
      images: "input.messages[0].content[].image",
      count: "parameters.n",
      size: "parameters.size",
      negativePrompt: "parameters.negative_prompt",
      promptExtend: "parameters.prompt_extend",
      watermark: "parameters.watermark",
      seed: "parameters.seed",
    },
  },
} as const satisfies Wire<ImagesVendor, ImagesClient>;

/** Qwen's images, requested as a task. Only vendors use this wire. */
export const qwenTasks = {
  name: "qwen-image-tasks",
  vendor: { startsTask: true, render: renderSynthesis, parse: parseAnswer, taskOf },
} as const satisfies Wire<ImagesVendor, ImagesClient>;

export const qwenEditTasks = { ...qwenTasks, name: "qwen-image-edit-tasks" } as const;

const maxImagesRead = 100;

function taskOf(body: JsonRecord): string | undefined {
  return readVendor(body, (fields) => {
    const output = fields.fields("output");
    const status = output?.text("task_status");
    return status === "PENDING" || status === "RUNNING" ? output?.needText("task_id") : undefined;
  });
}

/** Parses an answer. A task that failed partly returns the images that succeeded. */
function parseAnswer(body: JsonRecord): ImagesAnswer {
  const answer = readVendor(body, (fields): ImagesAnswer | Failure => {
    const output = fields.fields("output");
    if (output === undefined) return noImagesFailure(fields);
    const status = output.text("task_status");
    const results = output.each("results", maxImagesRead);
    const images = [
      ...output.each("choices", maxImagesRead).flatMap(imagesInChoice),
      ...results.flatMap(imagesInResult),
    ];
    if (images.length > 0) return imagesAnswer({ images, tokens: parseTokens(body["usage"]) });
    return noImagesFailure(status === undefined || status === "SUCCEEDED" ? (results[0] ?? output) : output);
  });
  if (answer instanceof Failure) throw answer;
  return answer;
}

function imagesInChoice(choice: Fields): readonly MadeImage[] {
  const message = choice.fields("message");
  return (message?.each("content", maxImagesRead) ?? []).flatMap((part) => {
    const url = part.text("image");
    return url === undefined ? [] : [{ url }];
  });
}

function imagesInResult(result: Fields): readonly MadeImage[] {
  const url = result.text("url");
  if (url === undefined) return [];
  const revised = result.text("actual_prompt");
  return [withoutUndefined({ url, revisedPrompt: revised })];
}

function parseTokens(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const [input, output] = [parseCount(usage["input_tokens"]), parseCount(usage["output_tokens"])];
  if ((input ?? 0) + (output ?? 0) === 0) return undefined;
  return withoutZeroUnits({ inputTokens: input ?? 0, outputTokens: output ?? 0 });
}

/** Parses a body in Qwen's format. `stream` and `response_format` are members of the body, not of `parameters`. */
export function parseRequest(body: JsonRecord): Parsed<ImageRequest> {
  const fields = new Fields(body);
  const content = parseContent(fields);
  const parameters = fields.fields("parameters") ?? new Fields({}, "parameters");
  const request = withoutUndefined({
    dialect: "qwen-images" as const,
    model: fields.needText("model"),
    ...content,
    count: parseImageCount(parameters, "n"),
    size: parseSize(parameters.text("size"), parameters.at("size")),
    ...parseDialectFields(parameters),
    responseFormat: fields.oneOf("response_format", ["url", "b64_json"]),
    stream: fields.flag("stream") ?? false,
    user: fields.text("user"),
  });
  const unread = new Set(parameters.unread());
  const additional = additionalMembers("qwen-images", parameters);
  const dropped = fields.unread().filter((path) => !unread.has(path));
  return { request: additional === undefined ? request : { ...request, additional }, dropped };
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

function renderGeneration(request: ImageRequest, { model }: Target): RenderedImages {
  const content = [...request.images.map((image) => ({ image: imageUrl(image) })), { text: request.prompt }];
  return renderBody(request, { model, input: { messages: [{ role: "user", content }] } }, renderDialectFields(request));
}

function renderSynthesis(request: ImageRequest, { model }: Target): RenderedImages {
  const input = withoutUndefined({
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    images: request.images.length === 0 ? undefined : request.images.map(imageUrl),
  });
  return renderBody(request, { model, input }, { ...renderDialectFields(request), negative_prompt: undefined });
}

function renderBody(request: ImageRequest, body: JsonRecord, dialectFields: JsonRecord): RenderedImages {
  const { size, count, additional } = request;
  const parameters = withoutUndefined({
    ...renderAdditionalMembers(additional, "qwen-images").members,
    ...dialectFields,
    size: size === undefined ? undefined : `${size.width}*${size.height}`,
    // Without `n`, some models make and bill four images.
    n: count ?? 1,
  });
  const dropped = unsupportedFieldNames(request, { has: supportedFields, dialect: "qwen-images" });
  return { body: { ...body, parameters }, dropped };
}
