import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { renderJson, type RenderedImages } from "../hub/codec.ts";
import { addressOf } from "../hub/image-bytes.ts";
import { unsupportedHints } from "../hub/unsupported.ts";
import type { ImageField, ImageRequest } from "../hub/request.ts";

interface Target {
  readonly model: string;
}

const says: readonly ImageField[] = ["count", "size", "negativePrompt", "promptExtend", "watermark", "seed"];

/** The body of multimodal-generation/generation: one message, images before the words. */
export function renderGeneration(request: ImageRequest, { model }: Target): RenderedImages {
  const content = [...request.images.map((image) => ({ image: addressOf(image) })), { text: request.prompt }];
  const parameters = { negative_prompt: request.negativePrompt, ...parametersOf(request) };
  return rendered(request, { model, input: { messages: [{ role: "user", content }] } }, parameters);
}

/** The body of text2image/image-synthesis, and of image2image/image-synthesis where there are images. */
export function renderSynthesis(request: ImageRequest, { model }: Target): RenderedImages {
  const input = present({
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    images: request.images.length === 0 ? undefined : request.images.map(addressOf),
  });
  return rendered(request, { model, input }, parametersOf(request));
}

function parametersOf({ size, count, promptExtend, watermark, seed, own }: ImageRequest): JsonRecord {
  return {
    ...(own?.wire === "qwen" ? own.members : {}),
    size: size === undefined ? undefined : `${size.width}*${size.height}`,
    n: count,
    prompt_extend: promptExtend,
    watermark,
    seed,
  };
}

function rendered(request: ImageRequest, body: JsonRecord, all: JsonRecord): RenderedImages {
  const parameters = present({ ...all });
  const dropped = unsupportedHints(request, { says, dialect: "qwen" });
  return renderJson(Object.keys(parameters).length === 0 ? body : { ...body, parameters }, dropped);
}
