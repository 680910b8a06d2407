import type { VideoWire } from "@modelgate/contracts";
import { generationsCodec } from "./generations/index.ts";
import type { VideoCodec } from "./hub/codec.ts";
import { jimengCodec } from "./jimeng/index.ts";
import { klingCodec } from "./kling/index.ts";
import { videosCodec } from "./videos/index.ts";

/** Every wire of video tasks, by its name: one line each. */
export const videoCodecs: Readonly<Record<VideoWire, VideoCodec>> = {
  videos: videosCodec,
  "video-generations": generationsCodec,
  "kling-video": klingCodec,
  "jimeng-video": jimengCodec,
};
