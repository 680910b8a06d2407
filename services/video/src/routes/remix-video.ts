import { Failure } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import { parseSize, wires } from "@modelgate/wires/video";
import { extractCallback } from "../callbacks.ts";
import type { Deps } from "../deps.ts";
import { findTaskOfCaller, requestedVideo } from "../show-task.ts";
import { readVideoBody } from "../read-body.ts";
import { VideoKind } from "../video-kind.ts";
import { createAndAnswer } from "./create-video.ts";

/** POST /v1/videos/{task_id}/remix: creates a task that changes a finished video, at the same vendor. */
export function remixVideo(deps: Deps): EndpointHandler {
  const kind = new VideoKind(deps);
  return async (call) => {
    const { task } = await findTaskOfCaller(deps, call, call.params["task_id"]);
    if (task.state !== "completed") throw new Failure("video_not_ready");
    using body = await readVideoBody(deps, call);
    const { members, callbackUrl } = extractCallback(body.members);
    const { prompt } = members;
    if (typeof prompt !== "string" || prompt.trim() === "")
      throw new Failure("missing_required_parameter", "Missing required parameter: prompt.", { param: "prompt" });
    const { seconds, size } = requestedVideo(task);
    const request = {
      model: task.model,
      prompt,
      seconds,
      size: size === undefined ? undefined : parseSize(size, "size"),
    };
    await createAndAnswer(kind, call, {
      clientWire: "videos",
      client: wires.videos.client,
      request,
      dropped: [],
      callbackUrl,
      remix: task,
    });
  };
}
