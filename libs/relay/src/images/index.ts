// Calls for images.
export { imagesExchange, imagesWiresFor, type ImagesCall } from "./exchange.ts";
export { refuseUnpricedTier, type WantedImages } from "./exchange.ts";
export { InputImages } from "./input-images.ts";
export { imagesVariables, openImages, type ImagesDeps, type ImagesEnv } from "./open-images.ts";
