import { withoutUndefined } from "@modelgate/contracts";
import { Base64Text, isRecord, asRecord, asRecords, type JsonRecord } from "@modelgate/formats/json";
import { blockedFailure } from "../../text/content/blocked.ts";
import { contentUsage } from "../../text/content/usage.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import type { Wire } from "../../wire.ts";
import { imagesAnswer, noImagesFailure } from "../hub/answer.ts";
import type { ImagesAnswer, ImagesClient, MadeImage, ImagesVendor, RenderedImages } from "../hub/answer.ts";
import { requireImageBytes } from "../hub/image-bytes.ts";
import { nearestRatio, unsupportedFieldNames } from "../hub/request.ts";
import type { ImageRequest, ImageSize, InputImage } from "../hub/request.ts";

/** Image models of generateContent, with IMAGE among `responseModalities`. */
export const content = {
  name: "content",
  vendor: { needsBytes: true, render: renderRequest, parse: parseAnswer },
} as const satisfies Wire<ImagesVendor, ImagesClient>;

const aspectRatios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;
/** Names of resolutions for images whose longest side exceeds `above` pixels. */
const resolutionClasses = [
  { above: 3_000, name: "4K" },
  { above: 1_800, name: "2K" },
] as const;

function renderRequest(request: ImageRequest): RenderedImages {
  if ((request.count ?? 1) > 1)
    throw unsupportedFailure("count", "The vendor of this model creates one image per request.");
  const { images, prompt, size, seed } = request;
  const generationConfig = withoutUndefined({
    responseModalities: ["TEXT", "IMAGE"],
    imageConfig: size === undefined ? undefined : renderSize(size),
    seed,
  });
  const contents = [{ role: "user", parts: [...images.map(renderImage), { text: prompt }] }];
  const dropped = unsupportedFieldNames(request, { has: ["count", "size", "seed"] });
  return { body: { contents, generationConfig }, dropped };
}

function renderSize(size: ImageSize): JsonRecord {
  const longest = Math.max(size.width, size.height);
  return withoutUndefined({
    aspectRatio: nearestRatio(size, aspectRatios),
    imageSize: resolutionClasses.find(({ above }) => longest > above)?.name,
  });
}

function renderImage(image: InputImage): JsonRecord {
  const { mediaType, bytes } = requireImageBytes(image);
  return { inlineData: { mimeType: mediaType, data: new Base64Text("", bytes) } };
}

function parseAnswer(body: JsonRecord): ImagesAnswer {
  const images = imagesInCandidates(asRecords(body["candidates"]));
  if (images.length === 0) throw blockedFailure(body, "The vendor declined to make this image.") ?? noImagesFailure();
  return imagesAnswer({ images, tokens: contentUsage(body["usageMetadata"]) });
}

export function imagesInContent(body: JsonRecord | undefined): number {
  return body === undefined ? 0 : imagesInCandidates(asRecords(body["candidates"])).length;
}

function imagesInCandidates(candidates: readonly JsonRecord[]): readonly MadeImage[] {
  return candidates.flatMap(({ content }) => asRecords(asRecord(content)["parts"]).flatMap(imageInPart));
}

/** Returns the image of a part. Images in reasoning are drafts and are skipped. */
function imageInPart({ inlineData, thought }: JsonRecord): readonly MadeImage[] {
  if (thought === true || !isRecord(inlineData)) return [];
  const { mimeType, data } = inlineData;
  const isImage = typeof mimeType === "string" && mimeType.startsWith("image/");
  return isImage && typeof data === "string" ? [{ base64: data }] : [];
}
