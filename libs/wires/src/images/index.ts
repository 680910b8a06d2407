import type { ImagesWire } from "@modelgate/contracts";
import { missingFailure, isRecord } from "@modelgate/formats/json";
import type { Parsed, Wire } from "../wire.ts";
import { content } from "./content/index.ts";
import type { ImagesClient, ImagesPass, ImagesVendor } from "./hub/answer.ts";
import type { ImageRequest } from "./hub/request.ts";
import { imagen, vertexImagen } from "./imagen/index.ts";
import { imageEdits, images } from "./openai/index.ts";
import { qwen, qwenEditTasks, qwenTasks } from "./qwen/index.ts";

export { imagesInContent } from "./content/index.ts";
export { base64InUrl, imageDataUrl, type ImagesAnswer, type MadeImage } from "./hub/answer.ts";
export { decodeImages, encodedImage, imageFile, imageTypeOf, imageTypeOfBase64 } from "./hub/image-bytes.ts";
export { memberAboveStandardPrice, maxImagesOf, measureInput, minImagesOf } from "./hub/pricing.ts";
export { maxInputImages, sizeOfClass, type ImageRequest, type InputImage } from "./hub/request.ts";
export { writeImages, type ImagesPass, type ImagesVendor, type RenderedImages } from "./hub/answer.ts";
export { parseForm as readImageForm } from "./openai/request.ts";

export const wires = {
  images,
  "image-edits": imageEdits,
  "qwen-images": qwen,
  "qwen-image-tasks": qwenTasks,
  "qwen-image-edit-tasks": qwenEditTasks,
  imagen,
  "vertex-imagen": vertexImagen,
  content,
} as const satisfies Readonly<Record<ImagesWire, Wire<ImagesVendor, ImagesClient, ImagesPass>>>;

/** Reads a client's JSON body: in Qwen's format if it has `input`, else in the format of `images`. */
export function readImageBody(body: unknown): Parsed<ImageRequest> {
  const isQwen = isRecord(body) && (body["input"] ?? undefined) !== undefined;
  return (isQwen ? qwen : images).client.read(body);
}

export function refuseWithoutImage({ dialect, images: inputImages }: ImageRequest): void {
  if (inputImages.length > 0) return;
  const param = wires[dialect].client.spelling.images;
  throw missingFailure(param, `Missing required parameter: ${param} (an image to edit).`);
}
