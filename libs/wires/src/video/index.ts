import type { ClientVideoWire, VideoWire } from "@modelgate/contracts";
import type { StoreDialect } from "../vendor-stores/members.ts";
import type { Wire } from "../wire.ts";
import { generations } from "./generations/index.ts";
import type { VideoClient, VideoVendor } from "./hub/task.ts";
import { jimeng } from "./jimeng/index.ts";
import { kling } from "./kling/index.ts";
import { seedance } from "./seedance/index.ts";
import { veo, vertex } from "./veo/index.ts";
import { videos } from "./videos/index.ts";
import { wan } from "./wan/index.ts";

export { checkImages, parseImage, type VideoImage, type VideoRequest } from "./hub/request.ts";
export { lineMembers, parseSize } from "./hub/size.ts";
export {
  requestedVideoOf,
  inspectedMembers,
  type RequestedVideo,
  type TaskContext,
  type VideoClient,
  type VideoTask,
} from "./hub/task.ts";
export type { RenderedVideo, PollResult, VideoResult, VideoVendor } from "./hub/task.ts";

export const wires = {
  videos,
  "video-generations": generations,
  "kling-video": kling,
  "jimeng-video": jimeng,
  "veo-video": veo,
  "vertex-video": vertex,
  "wan-video": wan,
  "seedance-video": seedance,
} as const satisfies Readonly<
  Record<ClientVideoWire, Wire<VideoVendor, VideoClient> & { readonly client: VideoClient }> &
    Record<VideoWire, Wire<VideoVendor, VideoClient> & { readonly vendor: VideoVendor }>
>;

/** Rules for finding objects in the vendor's store. */
export const videoStoreDialect: StoreDialect = {
  members: [
    {
      names: (
        "video_id video_ids remix_video_id remixed_from_video_id remix_id task_id origin_task_id " +
        "element_id element_ids character_id character_ids asset_id asset_ids resource_id"
      ).split(" "),
      store: "video",
      naming: "id",
    },
    { names: ["characters", "video"], store: "video", naming: "object" },
    { names: ["metadata"], store: "file", naming: "json" },
  ],
  without: ["prompt"],
  opaque: [],
};
