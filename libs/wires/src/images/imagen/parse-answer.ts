import { present, Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { noImages, type ImagesAnswer, type MadeImage } from "../hub/answer.ts";

/** Reads the images that were made; filtered ones are left out. Throws Failure upstream_rejected where all were. */
export function parseAnswer({ predictions }: JsonRecord): ImagesAnswer {
  const all = Array.isArray(predictions) ? predictions.filter(isRecord) : [];
  const images = all.flatMap(imageIn);
  if (images.length > 0) return { images };
  // With nothing to show, the vendor says why beside, or sends nothing at all.
  const reason = all.find(({ raiFilteredReason }) => typeof raiFilteredReason === "string")?.["raiFilteredReason"];
  if (typeof reason === "string" || all.length === 0)
    throw new Failure(
      "upstream_rejected",
      "The vendor declined to make this image.",
      present({ vendorCode: reason ? "filtered" : undefined }),
    );
  throw noImages();
}

function imageIn({ bytesBase64Encoded, prompt }: JsonRecord): readonly MadeImage[] {
  if (typeof bytesBase64Encoded !== "string") return [];
  return [present({ base64: bytesBase64Encoded, revisedPrompt: typeof prompt === "string" ? prompt : undefined })];
}
