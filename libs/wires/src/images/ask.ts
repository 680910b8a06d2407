import { bodies, Failure } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { isRecord } from "../json/fields.ts";
import { readChecked } from "../kind/index.ts";
import type { Parsed } from "../wire.ts";
import type { ImageRequest } from "./hub/request.ts";
import { parseForm, type ImagesForm } from "./openai/parse-form.ts";
import { parseRequest as parseSimple } from "./openai/parse-request.ts";
import { parseRequest as parseQwen } from "./qwen/parse-request.ts";

/** The members that decide what a call may do and cost. */
export const reliedOfImages = ["model", "n", "size", "input", "parameters"];

const compiled = Compile(bodies.ImageRequest);
/** Members that are null are not there, as the reader has it. */
const shape = {
  Check: (body: unknown) => compiled.Check(withoutNulls(body)),
  Errors: (body: unknown) => compiled.Errors(withoutNulls(body)),
};

function withoutNulls(body: unknown): unknown {
  return isRecord(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) : body;
}

/**
 * Checks a JSON body for images and says what the gateway must know. A body with `input` is the qwen-style one, any
 * other the simple one. Throws Failure (400) naming the field.
 */
export function askOfImageBody(body: unknown): Parsed<ImageRequest> {
  const isQwen = isRecord(body) && (body["input"] ?? undefined) !== undefined;
  return readChecked(body, shape, isQwen ? parseQwen : (record) => parseSimple(record));
}

/** Checks a form for images. Throws Failure (400) naming the field. */
export function askOfImageForm(form: ImagesForm): Parsed<ImageRequest> {
  return parseForm(form);
}

/** Refuses (400) a request to edit that brings no image. */
export function refuseWithoutImage({ dialect, images }: ImageRequest): void {
  if (images.length > 0) return;
  const param = imageSpelling[dialect].images;
  throw new Failure("missing_required_parameter", `Missing required parameter: ${param} (an image to edit).`, {
    param,
  });
}

/** How each dialect spells the fields of the neutral form, for failures and `x-modelgate-dropped`. */
export const imageSpelling = {
  images: {
    images: "image",
    count: "n",
    inputFidelity: "input_fidelity",
    outputFormat: "output_format",
    outputCompression: "output_compression",
    negativePrompt: "negative_prompt",
    promptExtend: "prompt_extend",
    partialImages: "partial_images",
  },
  qwen: {
    images: "input.messages[0].content[].image",
    count: "parameters.n",
    size: "parameters.size",
    negativePrompt: "parameters.negative_prompt",
    promptExtend: "parameters.prompt_extend",
    watermark: "parameters.watermark",
    seed: "parameters.seed",
  },
} as const;
