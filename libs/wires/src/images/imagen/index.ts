import { Failure, withoutUndefined } from "@modelgate/contracts";
import { asRecords, ownEntry, type JsonRecord } from "@modelgate/formats/json";
import { unsupportedFailure } from "../../text/hub/request.ts";
import type { Wire } from "../../wire.ts";
import { imagesAnswer, noImagesFailure } from "../hub/answer.ts";
import type { ImagesAnswer, ImagesClient, MadeImage, ImagesVendor, RenderedImages } from "../hub/answer.ts";
import { nearestRatio, unsupportedFieldNames } from "../hub/request.ts";
import type { ImageField, ImageRequest, ImageSize } from "../hub/request.ts";

/** Imagen at the Gemini API (`:predict`). */
export const imagen = {
  name: "imagen",
  vendor: { render: (request) => renderRequest(request, {}, supportedFields), parse: parseAnswer },
} as const satisfies Wire<ImagesVendor, ImagesClient>;

/** Imagen at Google Cloud's Vertex AI, which supports more fields. */
export const vertexImagen = {
  name: "vertex-imagen",
  vendor: { render: renderAtVertex, parse: parseAnswer },
} as const satisfies Wire<ImagesVendor, ImagesClient>;

const aspectRatios = ["1:1", "3:4", "4:3", "9:16", "16:9"] as const;
/** An image whose longer side has more than this many pixels needs the larger resolution. */
const largeClassSide = 1_800;
const maxImages = 4;

const supportedFields: readonly ImageField[] = ["count", "size"];
const vertexFields: readonly ImageField[] = ["negativePrompt", "promptExtend", "watermark", "seed"];
/** Supported output formats, with the fields that each can express. */
const outputFormats: Readonly<Record<string, readonly ImageField[]>> = {
  png: ["outputFormat"],
  jpeg: ["outputFormat", "outputCompression"],
};

function renderAtVertex(request: ImageRequest): RenderedImages {
  const { negativePrompt, promptExtend, watermark, seed } = request;
  // The vendor accepts a seed only without a watermark.
  const addWatermark = watermark ?? (seed === undefined ? undefined : false);
  const parameters = { negativePrompt, enhancePrompt: promptExtend, addWatermark, seed };
  return renderRequest(request, parameters, [...supportedFields, ...vertexFields]);
}

function renderRequest(
  request: ImageRequest,
  vendorParameters: JsonRecord,
  has: readonly ImageField[],
): RenderedImages {
  const { count = 1, size, prompt, images } = request;
  if (images.length > 0) throw unsupportedFailure("images", "The vendor of this model creates images from text only.");
  if (count > maxImages)
    throw unsupportedFailure("count", `The vendor of this model creates at most ${maxImages} images per request.`);
  const parameters = withoutUndefined({
    sampleCount: count,
    ...(size === undefined ? {} : renderSize(size)),
    outputOptions: renderFormat(request),
    ...vendorParameters,
  });
  const formatFields = ownEntry(outputFormats, request.outputFormat ?? "") ?? [];
  const dropped = unsupportedFieldNames(request, { has: [...has, ...formatFields] });
  return { body: { instances: [{ prompt }], parameters }, dropped };
}

function renderSize(size: ImageSize): JsonRecord {
  const isLarge = Math.max(size.width, size.height) > largeClassSide;
  return withoutUndefined({
    aspectRatio: nearestRatio(size, aspectRatios),
    sampleImageSize: isLarge ? "2K" : undefined,
  });
}

function renderFormat({ outputFormat, outputCompression }: ImageRequest): JsonRecord | undefined {
  if (outputFormat === undefined || !Object.hasOwn(outputFormats, outputFormat)) return undefined;
  return withoutUndefined({
    mimeType: `image/${outputFormat}`,
    compressionQuality: outputFormat === "jpeg" ? outputCompression : undefined,
  });
}

function parseAnswer({ predictions }: JsonRecord): ImagesAnswer {
  const all = asRecords(predictions);
  const images = all.flatMap(parseImage);
  if (images.length > 0) return imagesAnswer({ images });
  // Instead of an image, the vendor sends a reason, or nothing.
  const reason = all.find(({ raiFilteredReason }) => typeof raiFilteredReason === "string")?.["raiFilteredReason"];
  if (typeof reason === "string" || all.length === 0)
    throw new Failure(
      "upstream_rejected",
      "The vendor declined to make this image.",
      withoutUndefined({ vendorCode: reason ? "filtered" : undefined }),
    );
  throw noImagesFailure();
}

function parseImage({ bytesBase64Encoded, prompt }: JsonRecord): readonly MadeImage[] {
  if (typeof bytesBase64Encoded !== "string") return [];
  return [
    withoutUndefined({ base64: bytesBase64Encoded, revisedPrompt: typeof prompt === "string" ? prompt : undefined }),
  ];
}
