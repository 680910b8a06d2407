import { Failure, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { contentUsage } from "../../text/content/usage.ts";
import { noImages, type ImagesAnswer, type MadeImage } from "../hub/answer.ts";

/** Reads all images of all candidates; what was said beside them is dropped. Throws Failure upstream_rejected for a block. */
export function parseAnswer(body: JsonRecord): ImagesAnswer {
  const candidates = listOf(body["candidates"]);
  const images = imagesOf(candidates);
  if (images.length === 0) throw blocked(body, candidates) ?? noImages();
  const tokens = contentUsage(body["usageMetadata"]);
  return present({ images, tokens });
}

/** Counts the images in an answer, or a piece of a stream; none where it is neither. */
export function imagesInContent(body: JsonRecord | undefined): number {
  return body === undefined ? 0 : imagesOf(listOf(body["candidates"])).length;
}

function imagesOf(candidates: readonly JsonRecord[]): readonly MadeImage[] {
  return candidates.flatMap((candidate) => partsOf(candidate).flatMap(inPart));
}

function partsOf({ content }: JsonRecord): readonly JsonRecord[] {
  return isRecord(content) ? listOf(content["parts"]) : [];
}

/** Images inside thought parts are drafts; they are not counted as output. */
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
  return new Failure("upstream_rejected", "The vendor declined to make this image.", { vendorCode: why });
}

/** Reasons to finish that are not a refusal. */
const finished: ReadonlySet<string> = new Set(["STOP", "MAX_TOKENS", "OTHER", "NO_IMAGE", "IMAGE_OTHER"]);

function listOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
