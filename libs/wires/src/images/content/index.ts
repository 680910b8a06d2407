import { Failure } from "@modelgate/contracts";
import { Base64Text } from "../../json/base64.ts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { present } from "../../json/present.ts";
import { contentUsage } from "../../text/content/usage.ts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import { noImages, type ImagesAnswer, type MadeImage } from "../hub/answer.ts";
import { renderJson, type ImagesVendor, type RenderedImages } from "../hub/codec.ts";
import { unsupportedHints } from "../hub/unsupported.ts";
import type { ImageRequest, ImageSize, InputImage } from "../hub/request.ts";
import { nearestRatio } from "../hub/size.ts";

/** Image models of the content wire: generateContent with IMAGE among what is wanted. */
export const contentImages: ImagesVendor = {
  wire: "content",
  begins: "image",
  needsBytes: true,
  streams: false,
  renderRequest,
  parseAnswer,
};

/** Ratios that the vendor takes. */
const ratios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;
/** Classes of resolution by their longest side; below the first, models have one of their own. */
const classes = [
  { above: 3_000, name: "4K" },
  { above: 1_800, name: "2K" },
] as const;

/** Images before the words. A request for several images is refused: the vendor gives one. */
function renderRequest(request: ImageRequest): RenderedImages {
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

/** All images of all candidates; what was said beside them is dropped. Throws Failure upstream_rejected for a block. */
function parseAnswer(body: JsonRecord): ImagesAnswer {
  const candidates = listOf(body["candidates"]);
  const images = imagesOf(candidates);
  if (images.length === 0) throw blocked(body, candidates) ?? noImages();
  const tokens = contentUsage(body["usageMetadata"]);
  return { images, ...(tokens === undefined ? {} : { tokens }) };
}

/** How many images an answer, or a piece of a stream, holds; none where it is neither. */
export function imagesInContent(body: JsonRecord | undefined): number {
  return body === undefined ? 0 : imagesOf(listOf(body["candidates"])).length;
}

function imagesOf(candidates: readonly JsonRecord[]): readonly MadeImage[] {
  return candidates.flatMap((candidate) => partsOf(candidate).flatMap(inPart));
}

function partsOf({ content }: JsonRecord): readonly JsonRecord[] {
  return isRecord(content) ? listOf(content["parts"]) : [];
}

/** A draft that belongs to the model's thoughts is none of its images. */
function inPart({ inlineData, thought }: JsonRecord): readonly MadeImage[] {
  if (thought === true || !isRecord(inlineData)) return [];
  const { mimeType, data } = inlineData;
  const isImage = typeof mimeType === "string" && mimeType.startsWith("image/");
  return isImage && typeof data === "string" ? [{ base64: data }] : [];
}

function blocked({ promptFeedback }: JsonRecord, candidates: readonly JsonRecord[]): Failure | undefined {
  const reason = isRecord(promptFeedback) ? promptFeedback["blockReason"] : undefined;
  const finish = candidates[0]?.["finishReason"];
  const why = typeof reason === "string" ? reason : typeof finish === "string" ? finish : undefined;
  if (why === undefined || finished.has(why)) return undefined;
  return new Failure("upstream_rejected", "The vendor would not make this image.", { vendorCode: why });
}

/** Ends that are no refusal. */
const finished: ReadonlySet<string> = new Set(["STOP", "MAX_TOKENS", "OTHER", "NO_IMAGE", "IMAGE_OTHER"]);

function listOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
