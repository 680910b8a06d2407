export { makeImagesExchange, imagesWiresFor, type ImagesRequest } from "./images-call.ts";
export { refuseUnpricedTier, type PricedImages } from "./images-call.ts";
export { InputImages } from "./input-images.ts";
export { imagesVariables, openImages, type ImagesDeps, type ImagesEnv } from "./open-images.ts";
