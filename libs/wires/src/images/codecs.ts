import { contentImages } from "./content/index.ts";
import { imagen, vertexImagen } from "./imagen/index.ts";
import type { ImagesVendorCodec } from "./hub/codec.ts";
import type { ImagesWire } from "@modelgate/contracts";
import { imageEdits, imageGenerations } from "./openai/index.ts";
import { qwenImageEditTasks, qwenImages, qwenImageTasks } from "./qwen/index.ts";

/** Every wire that vendors of images speak: one line each. */
export const imagesCodecs: Readonly<Record<ImagesWire, ImagesVendorCodec>> = {
  images: imageGenerations,
  "image-edits": imageEdits,
  "qwen-images": qwenImages,
  "qwen-image-tasks": qwenImageTasks,
  "qwen-image-edit-tasks": qwenImageEditTasks,
  imagen,
  "vertex-imagen": vertexImagen,
  content: contentImages,
};
