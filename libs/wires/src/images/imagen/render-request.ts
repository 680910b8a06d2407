import { present } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import { renderJson, type RenderedImages } from "../hub/codec.ts";
import type { ImageField, ImageRequest, ImageSize } from "../hub/request.ts";
import { nearestRatio } from "../hub/size.ts";
import { unsupportedHints } from "../hub/unsupported.ts";

/** Ratios that the vendor takes. */
const ratios = ["1:1", "3:4", "4:3", "9:16", "16:9"] as const;
/** From this length of the longest side on, the larger of its two classes is meant. */
const largeSide = 1_800;
/** Images that the vendor makes in one request. */
const mostImages = 4;

const says: readonly ImageField[] = ["count", "size", "outputFormat", "outputCompression"];
const alsoAtVertex: readonly ImageField[] = ["negativePrompt", "promptExtend", "watermark", "seed"];
/** Formats that are made there; another is made of them here. */
const formats: ReadonlySet<string> = new Set(["png", "jpeg"]);

export function renderAtGemini(request: ImageRequest): RenderedImages {
  return rendered(request, {}, says);
}

export function renderAtVertex(request: ImageRequest): RenderedImages {
  const { negativePrompt, promptExtend, watermark, seed } = request;
  // A seed is only taken where nothing is watermarked.
  const addWatermark = watermark ?? (seed === undefined ? undefined : false);
  const more = { negativePrompt, enhancePrompt: promptExtend, addWatermark, seed };
  return rendered(request, more, [...says, ...alsoAtVertex]);
}

/** Throws Failure unsupported_parameter for what the vendor does not edit, or more images than it makes. */
function rendered(request: ImageRequest, more: JsonRecord, said: readonly ImageField[]): RenderedImages {
  const { count = 1, size, prompt, images } = request;
  if (images.length > 0) throw unsupportedFailure("images", "The vendor of this model makes images from words alone.");
  if (count > mostImages)
    throw unsupportedFailure("count", `The vendor of this model makes at most ${mostImages} images in a request.`);
  const parameters = present({
    sampleCount: count,
    ...(size === undefined ? {} : renderSize(size)),
    outputOptions: renderFormat(request),
    ...more,
  });
  return renderJson({ instances: [{ prompt }], parameters }, unsupportedHints(request, { says: said }));
}

function renderSize(size: ImageSize): JsonRecord {
  const isLarge = Math.max(size.width, size.height) > largeSide;
  return present({ aspectRatio: nearestRatio(size, ratios), sampleImageSize: isLarge ? "2K" : undefined });
}

function renderFormat({ outputFormat, outputCompression }: ImageRequest): JsonRecord | undefined {
  if (outputFormat === undefined || !formats.has(outputFormat)) return undefined;
  return present({
    mimeType: `image/${outputFormat}`,
    compressionQuality: outputFormat === "jpeg" ? outputCompression : undefined,
  });
}
