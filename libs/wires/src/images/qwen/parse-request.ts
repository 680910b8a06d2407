import { Failure, present } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { Parsed } from "../../wire.ts";
import { ownMembers } from "../../kind/own-members.ts";
import { inputImage } from "../hub/image-bytes.ts";
import { mostInputImages, mostPromptCharacters, type ImageRequest, type InputImage } from "../hub/request.ts";
import { parseSize } from "../hub/size.ts";
import { parseCount, parseHints } from "../openai/parse-request.ts";

/**
 * The qwen-style body (interface section 2.5) in the neutral form; unknown parameters travel on to vendors of
 * this dialect. How images are wanted, and whether in a stream, may be said beside them. Throws Failure (400).
 */
export function parseRequest(body: JsonRecord): Parsed<ImageRequest> {
  const fields = new Fields(body);
  const content = parseContent(fields);
  const parameters = fields.fields("parameters") ?? new Fields({}, "parameters");
  const request = present({
    dialect: "qwen" as const,
    model: fields.needText("model"),
    ...content,
    count: parseCount(parameters, "n"),
    size: parseSize(parameters.text("size"), parameters.at("size")),
    ...parseHints(parameters),
    responseFormat: fields.word("response_format", ["url", "b64_json"]),
    stream: fields.flag("stream") ?? false,
    user: fields.text("user"),
  });
  const unread = new Set(parameters.unread());
  const own = ownMembers("qwen", parameters);
  const dropped = fields.unread().filter((path) => !unread.has(path));
  return { request: own === undefined ? request : { ...request, own }, dropped };
}

/** The words and images of the one message that there is. */
function parseContent(fields: Fields): Pick<ImageRequest, "prompt" | "images"> {
  const input = fields.fields("input") ?? new Fields(fields.need("input"), "input");
  input.need("messages");
  const [message, another] = input.each("messages", 2);
  if (message === undefined || another !== undefined) throw input.wrong("messages", "one message");
  const role = message.text("role") ?? "user";
  if (role !== "user") throw message.wrong("role", "user");
  message.need("content");
  const words: string[] = [];
  const images: InputImage[] = [];
  for (const item of message.each("content", mostInputImages + mostTexts)) {
    const [text, image] = [item.text("text"), item.raw("image")];
    if (text === undefined && image === undefined)
      throw new Failure("invalid_value", `${item.path} must have text or image.`, { param: item.path });
    if (text !== undefined) words.push(text);
    if (image !== undefined) images.push(inputImage(image, item.at("image")));
  }
  const prompt = words.join("\n");
  const at = message.at("content");
  if (prompt === "") throw new Failure("missing_required_parameter", `${at} must contain text.`, { param: at });
  if (prompt.length > mostPromptCharacters)
    throw new Failure("invalid_value", `${at} may have at most ${mostPromptCharacters} characters.`, { param: at });
  if (images.length > mostInputImages)
    throw new Failure("invalid_value", `${at} may have at most ${mostInputImages} images.`, { param: at });
  return { prompt, images };
}

/** Texts that one message may have. */
const mostTexts = 16;
