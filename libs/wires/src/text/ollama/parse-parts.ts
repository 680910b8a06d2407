import type { Fields } from "../../json/fields.ts";
import type { ImagePart } from "../hub/part.ts";
import { mediaTypeOfImage } from "./image-type.ts";

/** Images as Base64, whose media type only their first bytes show. */
export function parseImages(fields: Fields): readonly ImagePart[] {
  const images = fields.texts("images") ?? [];
  return images.map((text) => {
    const data = text.replace(/^data:[^,]*,/, "");
    return { kind: "image", source: { kind: "base64", mediaType: mediaTypeOfImage(data), data } };
  });
}
