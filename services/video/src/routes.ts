import type { AreaHandlers } from "@modelgate/platform";
import type { Deps } from "./deps.ts";
import { createVideo } from "./routes/create-video.ts";
import { deleteVideo, getTask, listVideos } from "./routes/tasks.ts";
import { epsilon } from "./routes/epsilon.ts";
import { remixVideo } from "./routes/remix-video.ts";
import { videoContent } from "./routes/video-content.ts";
import { videoEvents } from "./routes/video-events.ts";

/** Returns the handlers of the video area's endpoints. */
export function routes(deps: Deps): AreaHandlers<"video"> {
  return {
    createVideo: createVideo(deps, "videos"),
    listVideos: listVideos(deps),
    getVideo: getTask(deps, "videos"),
    deleteVideo: deleteVideo(deps),
    remixVideo: remixVideo(deps),
    getVideoEvents: videoEvents(deps),
    getVideoContent: videoContent(deps),
    createVideoGeneration: createVideo(deps, "video-generations"),
    getVideoGeneration: getTask(deps, "video-generations"),
    textToVideo: createVideo(deps, "kling-video"),
    getTextToVideo: getTask(deps, "kling-video"),
    imageToVideo: createVideo(deps, "kling-video"),
    getImageToVideo: getTask(deps, "kling-video"),
    epsilon: epsilon(deps),
  };
}
