import type { VideoStyle } from "@modelgate/contracts";
import { answerJson, type EndpointHandler } from "@modelgate/platform";
import { wires } from "@modelgate/wires/video";
import type { Deps } from "../deps.ts";
import { ownTask } from "../find-task.ts";
import { contextOf, shownTask } from "../show-task.ts";

/** A task's state in styles A, B and C, whatever style created it (interface endpoints 16, 19, 21 and 24): Redis only. */
export function getTask(deps: Deps, style: VideoStyle): EndpointHandler {
  return async (call) => {
    const { task } = await ownTask(deps, call, call.params["task_id"]);
    answerJson(call.response, 200, wires[style].client.render(shownTask(task), contextOf(deps, call, task.id)));
  };
}
