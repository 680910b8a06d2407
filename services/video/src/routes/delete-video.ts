import { removeTask } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { answerJson, type EndpointHandler } from "@modelgate/platform";
import type { Deps } from "../deps.ts";
import { ownTask } from "../find-task.ts";
import { isEnded } from "../poll/advance.ts";

/** DELETE /v1/videos/{task_id}: an ended task is forgotten here; a running one would still be paid for. */
export function deleteVideo(deps: Deps): EndpointHandler {
  return async (call) => {
    const stored = await ownTask(deps, call, call.params["task_id"]);
    if (!isEnded(stored.task.state)) throw new Failure("task_not_finished");
    await removeTask(deps.relay.redis, stored);
    answerJson(call.response, 200, { id: stored.task.id, object: "video.deleted", deleted: true });
  };
}
