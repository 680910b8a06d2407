import { memberOf, numberAt, textAt, listAt } from "../checks/members.ts";
import { demand } from "../checks/refusal.ts";
import { anyText, closed, filledText, flag, integer, list, oneOf } from "../checks/shape.ts";
import { questionFrom } from "../core/question.ts";
import { pictureOf } from "../pictures/picture.ts";
import type { Understood } from "../vendor.ts";

const common = {
  sampleCount: integer(1, 4),
  aspectRatio: oneOf("1:1", "3:4", "4:3", "9:16", "16:9"),
  sampleImageSize: oneOf("1K", "2K"),
  personGeneration: anyText,
  safetySetting: anyText,
  includeRaiReason: flag,
  includeSafetyAttributes: flag,
  language: anyText,
  outputOptions: closed({}, { mimeType: oneOf("image/png", "image/jpeg"), compressionQuality: integer(0, 100) }),
};
const more = {
  negativePrompt: anyText,
  enhancePrompt: flag,
  addWatermark: flag,
  seed: integer(1, 2 ** 31 - 1),
  guidanceScale: integer(0),
  storageUri: anyText,
};
const shapeOf = (parameters: typeof common | (typeof common & typeof more)) =>
  closed(
    { instances: list(closed({ prompt: filledText }), { least: 1, most: 1 }) },
    { parameters: closed({}, parameters) },
  );
const shapes = { gemini: shapeOf(common), vertex: shapeOf({ ...common, ...more }) };

const sides: Readonly<Record<string, readonly [number, number]>> = {
  "1:1": [1_024, 1_024],
  "3:4": [896, 1_280],
  "4:3": [1_280, 896],
  "9:16": [768, 1_408],
  "16:9": [1_408, 768],
};

/** Imagen by `predict`: a picture each, in Base64. */
export function predictImages(body: unknown, model: string, at: keyof typeof shapes): Understood {
  demand(body, shapes[at]);
  const words = textAt(listAt(body, "instances")[0], "prompt") ?? "";
  const parameters = memberOf(body, "parameters");
  const { directive } = questionFrom(model, [words]);
  const [width, height] = sides[textAt(parameters, "aspectRatio") ?? "1:1"] ?? [1_024, 1_024];
  const mimeType = textAt(memberOf(parameters, "outputOptions"), "mimeType") ?? "image/png";
  const format = mimeType === "image/jpeg" ? "jpeg" : "png";
  const bytesBase64Encoded = () => pictureOf({ words, width, height, format }).toString("base64");
  return {
    directive,
    whole: ({ finishReason, finish = finishReason }) =>
      finish === "content_filter"
        ? { predictions: [{ raiFilteredReason: "Your prompt was filtered." }] }
        : {
            predictions: Array.from({ length: numberAt(parameters, "sampleCount") ?? 1 }, () => ({
              mimeType,
              bytesBase64Encoded: bytesBase64Encoded(),
            })),
          },
  };
}
