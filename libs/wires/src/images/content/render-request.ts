import { present } from "@modelgate/contracts";
import { Base64Text } from "../../json/base64.ts";
import type { JsonRecord } from "../../json/fields.ts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import { renderJson, type RenderedImages } from "../hub/codec.ts";
import type { ImageRequest, ImageSize, InputImage } from "../hub/request.ts";
import { nearestRatio } from "../hub/size.ts";
import { unsupportedHints } from "../hub/unsupported.ts";

/** Ratios that the vendor takes. */
const ratios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;
/** Classes of resolution by their longest side; below the first, models have one of their own. */
const classes = [
  { above: 3_000, name: "4K" },
  { above: 1_800, name: "2K" },
] as const;

/** Renders images before the words. Throws Failure unsupported_parameter for several images: the vendor makes one. */
export function renderRequest(request: ImageRequest): RenderedImages {
  if ((request.count ?? 1) > 1)
    throw unsupportedFailure("count", "The vendor of this model makes one image in a request.");
  const { images, prompt, size, seed } = request;
  const generationConfig = present({
    responseModalities: ["TEXT", "IMAGE"],
    imageConfig: size === undefined ? undefined : renderSize(size),
    seed,
  });
  const contents = [{ role: "user", parts: [...images.map(renderImage), { text: prompt }] }];
  return renderJson({ contents, generationConfig }, unsupportedHints(request, { says: ["count", "size", "seed"] }));
}

function renderSize(size: ImageSize): JsonRecord {
  const longest = Math.max(size.width, size.height);
  return present({
    aspectRatio: nearestRatio(size, ratios),
    imageSize: classes.find(({ above }) => longest > above)?.name,
  });
}

function renderImage(image: InputImage): JsonRecord {
  if (image.kind !== "file") throw new Error("an image's address where its bytes are needed");
  return { inlineData: { mimeType: image.mediaType, data: new Base64Text("", image.bytes) } };
}
