import { memberOf, numberAt, textAt, listAt } from "../checks/members.ts";
import { requireShape } from "../checks/refusal.ts";
import { Shapes } from "../checks/notation.ts";
import { questionFrom } from "../core/question.ts";
import { pictureOf } from "../pictures/picture.ts";
import type { ParsedRequest } from "../vendor.ts";

const shapes = new Shapes(`
  Instances = { instances: { prompt: filled }[1..1] };
  Parameters = {
    sampleCount?: integer(1, 4), aspectRatio?: "1:1" | "3:4" | "4:3" | "9:16" | "16:9", sampleImageSize?: "1K" | "2K",
    personGeneration?: string, safetySetting?: string, includeRaiReason?: boolean, includeSafetyAttributes?: boolean,
    language?: string,
    outputOptions?: { mimeType?: "image/png" | "image/jpeg", compressionQuality?: integer(0, 100) }
  };
  gemini = { ...Instances, parameters?: Parameters };
  vertex = {
    ...Instances,
    parameters?: {
      ...Parameters, negativePrompt?: string, enhancePrompt?: boolean, addWatermark?: boolean,
      seed?: integer(1, 2147483647), guidanceScale?: integer(0), storageUri?: string
    }
  };
`);

const sides: Readonly<Record<string, readonly [number, number]>> = {
  "1:1": [1_024, 1_024],
  "3:4": [896, 1_280],
  "4:3": [1_280, 896],
  "9:16": [768, 1_408],
  "16:9": [1_408, 768],
};

/** Parses a `predict` request for pictures. */
export function predictImages(body: unknown, model: string, at: "gemini" | "vertex"): ParsedRequest {
  requireShape(body, shapes.of(at));
  const words = textAt(listAt(body, "instances")[0], "prompt") ?? "";
  const parameters = memberOf(body, "parameters");
  const { directive } = questionFrom(model, [words]);
  const [width, height] = sides[textAt(parameters, "aspectRatio") ?? "1:1"] ?? [1_024, 1_024];
  const mimeType = textAt(memberOf(parameters, "outputOptions"), "mimeType") ?? "image/png";
  const format = mimeType === "image/jpeg" ? "jpeg" : "png";
  const bytesBase64Encoded = () => pictureOf({ words, width, height, format }).toString("base64");
  return {
    directive,
    whole: ({ finish }) =>
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
