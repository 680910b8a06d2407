// Wires of images.
export { mostImagesOf } from "./most-images.ts";
export { askOfImageBody, askOfImageForm, imageSpelling, refuseWithoutImage, reliedOfImages } from "./ask.ts";
export {
  base64InUrl,
  dataUrlOf,
  renderImageEvents,
  renderImages,
  unitsOfImages,
  type ImagesAnswer,
  type MadeImage,
} from "./hub/answer.ts";
export type { ImagesTask, ImagesVendor } from "./hub/codec.ts";
export { decodeImages, encodedImage, imageFile, imageTypeOf, imageTypeOfBase64 } from "./hub/image-bytes.ts";
export { mostInputImages, type ImageRequest, type InputImage } from "./hub/request.ts";
export { imagesInContent } from "./content/index.ts";
export { imagesVendors } from "./vendors.ts";
export { beginsImages, imagesPass } from "./openai/pass.ts";
