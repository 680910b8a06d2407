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
export type { ImagesTask, ImagesVendorCodec } from "./hub/codec.ts";
export { decodeImages, encodedImage, imageFile, imageTypeOf, imageTypeOfBase64 } from "./hub/image-bytes.ts";
export { mostInputImages, type ImageRequest, type InputImage } from "./hub/request.ts";
export { imagesInContent } from "./content/parse-answer.ts";
export { imagesCodecs } from "./codecs.ts";
export { beginsImages, imagesPass } from "./openai/pass.ts";
export { dearerImage } from "./dearer-image.ts";
export { sizeOf } from "./hub/ask.ts";
