import type { VideoStyle, VideoWire } from "@modelgate/contracts";
import { generationsCodec } from "./generations/index.ts";
import type { VendorVideoCodec, VideoCodec } from "./hub/codec.ts";
import { jimengCodec } from "./jimeng/index.ts";
import { klingCodec } from "./kling/index.ts";
import { seedanceCodec } from "./seedance/index.ts";
import { veoCodec, vertexVideoCodec } from "./veo/index.ts";
import { videosCodec } from "./videos/index.ts";
import { wanCodec } from "./wan/index.ts";

/** Every style of clients, by its name: one line each. */
export const videoCodecs: Readonly<Record<VideoStyle, VideoCodec>> = {
  videos: videosCodec,
  "video-generations": generationsCodec,
  "kling-video": klingCodec,
  "jimeng-video": jimengCodec,
};

/** Every wire of vendors, by its name: the styles, and a line each of those that only vendors speak. */
export const vendorVideoCodecs: Readonly<Record<VideoWire, VendorVideoCodec>> = {
  ...videoCodecs,
  "veo-video": veoCodec,
  "vertex-video": vertexVideoCodec,
  "wan-video": wanCodec,
  "seedance-video": seedanceCodec,
};
