import type { StoreDialect } from "../vendor-stores/members.ts";

/** What requests of films name in their vendor's store: films, and parts of them. */
export const videoStores: StoreDialect = {
  members: [
    {
      names: [
        "video_id",
        "video_ids",
        "remix_video_id",
        "remixed_from_video_id",
        "remix_id",
        "task_id",
        "origin_task_id",
        "element_id",
        "element_ids",
        "character_id",
        "character_ids",
        "asset_id",
        "asset_ids",
        "resource_id",
      ],
      store: "video",
      naming: "id",
    },
    { names: ["characters", "video"], store: "video", naming: "object" },
    { names: ["metadata"], store: "file", naming: "json" },
  ],
  without: ["prompt"],
  opaque: [],
};
