// Wires of video tasks.
export { vendorVideoCodecs, videoCodecs } from "./codecs.ts";
export { videoStores } from "./stores.ts";
export { parseSize } from "./hub/size.ts";
export type { RenderedVideo, VendorVideoCodec, VideoCodec } from "./hub/codec.ts";
export { parseImage, type VideoImage } from "./hub/image.ts";
export type { VideoRequest } from "./hub/request.ts";
export type { Sighting, VideoResult } from "./hub/sighting.ts";
export { askedOf, type AskedVideo, type TaskContext, type VideoTask } from "./hub/task.ts";
