import type { Units } from "@modelgate/contracts";
import { asRecord, isRecord, type Fields, type JsonRecord } from "@modelgate/formats/json";
import { readVendor } from "../../kind/index.ts";
import { parseCount, withoutZeroUnits } from "../../text/hub/counts.ts";
import { madeOf, noImagesFailure, type ImagesAnswer, type MadeImage } from "../hub/answer.ts";

/** Maximum number of images read from one answer; no vendor returns so many. */
const maxImagesRead = 100;

export function parseAnswer(body: JsonRecord): ImagesAnswer {
  const { created: _created, data: _data, ...rest } = body;
  return readVendor(body, (fields) => {
    const images = fields.each("data", maxImagesRead).flatMap(parseImage);
    if (images.length === 0) throw noImagesFailure();
    return madeOf({ created: fields.number("created"), images, tokens: readTokens(body["usage"]), more: rest });
  });
}

/** Parses an image. Vendors set the member that they do not use to "" or null. */
function parseImage(item: Fields): readonly MadeImage[] {
  const [url, base64] = [item.text("url"), item.text("b64_json")];
  const revised = item.text("revised_prompt");
  const rest = revised === undefined || revised === "" ? {} : { revisedPrompt: revised };
  if (base64 !== undefined && base64 !== "") return [{ base64, ...rest }];
  return url === undefined || url === "" ? [] : [{ url, ...rest }];
}

/** Reads `usage` as tokens. Input counts as text, output as images, unless reported otherwise. */
export function readTokens(usage: unknown): Units | undefined {
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
