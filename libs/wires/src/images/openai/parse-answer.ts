import type { Fields, JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/index.ts";
import { noImages, type ImagesAnswer, type MadeImage } from "../hub/answer.ts";
import { readTokens } from "./usage.ts";

/** Images in one answer that are read; no vendor gives so many. */
const mostRead = 100;

/** A vendor's answer. */
export function parseAnswer(body: JsonRecord): ImagesAnswer {
  const { created: _created, data: _data, ...more } = body;
  return readVendor(body, (fields) => {
    const images = fields.each("data", mostRead).flatMap(parseImage);
    if (images.length === 0) throw noImages();
    return { created: fields.number("created"), images, tokens: readTokens(body["usage"]), more };
  });
}

/** Vendors leave empty, or null, the one that they do not give. */
function parseImage(item: Fields): readonly MadeImage[] {
  const [url, base64] = [item.text("url"), item.text("b64_json")];
  const revised = item.text("revised_prompt");
  const more = revised === undefined || revised === "" ? {} : { revisedPrompt: revised };
  if (base64 !== undefined && base64 !== "") return [{ base64, ...more }];
  return url === undefined || url === "" ? [] : [{ url, ...more }];
}
