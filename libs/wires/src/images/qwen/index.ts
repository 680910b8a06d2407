import { Failure, withoutUndefined, type Units } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "@modelgate/formats/json";
import { readVendor } from "../../kind/index.ts";
import { parseCount, withoutZeroUnits } from "../../text/hub/counts.ts";
import type { Wire } from "../../wire.ts";
import { madeOf, noImagesFailure, renderImageStream, renderImages } from "../hub/answer.ts";
import type { ImagesAnswer, ImagesClient, MadeImage } from "../hub/answer.ts";
import { readImages, inspectedMembers } from "../hub/request.ts";
import type { ImagesVendor } from "../hub/vendor.ts";
import { parseRequest, renderGeneration, renderSynthesis } from "./request.ts";

/** Wire of clients with the qwen-style body, and of the vendor's image creation without a task. */
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

/** Creation of images as a task, for vendors only. */
export const qwenTasks = {
  name: "qwen-image-tasks",
  vendor: { startsTask: true, render: renderSynthesis, parse: parseAnswer, taskOf },
} as const satisfies Wire<ImagesVendor, ImagesClient>;

export const qwenEditTasks = { ...qwenTasks, name: "qwen-image-edit-tasks" } as const;

/** Maximum number of images read from one answer; no vendor returns so many. */
const maxImagesRead = 100;

function taskOf(body: JsonRecord): string | undefined {
  return readVendor(body, (fields) => {
    const output = fields.fields("output");
    const status = output?.text("task_status");
    return status === "PENDING" || status === "RUNNING" ? output?.needText("task_id") : undefined;
  });
}

/** Parses images, or the end of a task; a partly failed task returns the images that succeeded. */
function parseAnswer(body: JsonRecord): ImagesAnswer {
  const read = readVendor(body, (fields): ImagesAnswer | Failure => {
    const output = fields.fields("output");
    if (output === undefined) return taskFailure(fields);
    const status = output.text("task_status");
    const results = output.each("results", maxImagesRead);
    const images = [
      ...output.each("choices", maxImagesRead).flatMap(imagesInChoice),
      ...results.flatMap(imagesInResult),
    ];
    if (images.length > 0) return madeOf({ images, tokens: parseTokens(body["usage"]) });
    return taskFailure(status === undefined || status === "SUCCEEDED" ? (results[0] ?? output) : output);
  });
  if (read instanceof Failure) throw read;
  return read;
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

/** Creates the failure with the vendor's message: 400 for a refused prompt or image, which the client can change. */
function taskFailure(output: Fields): Failure {
  const [code, message] = [output.text("code"), output.text("message")];
  if (code === undefined) return noImagesFailure();
  const isInput = /^(?:DataInspectionFailed|InvalidParameter|IPInfringementSuspect|InvalidURL)/.test(code);
  return new Failure(isInput ? "upstream_rejected" : "upstream_error", message, { vendorCode: code });
}
