import { Failure, type VideoStyle } from "@modelgate/contracts";
import { answerJson, unlessEnded, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { refuseVendorIds, reportDropped } from "@modelgate/relay";
import { formAsBody } from "@modelgate/wires/vendor-stores";
import { videoStores, wires, type VideoClient } from "@modelgate/wires/video";
import { takeCallback } from "../callbacks.ts";
import { createTask, type CreatedTask } from "../create-task.ts";
import type { Deps } from "../deps.ts";
import { readVideoBody } from "../read-body.ts";
import { contextOf, shownTask } from "../show-task.ts";
import type { WantedTask } from "../price-task.ts";

/** POST of a new task in styles A, B and C (interface endpoints 15, 18, 20 and 23). */
export function createVideo(deps: Deps, style: VideoStyle): EndpointHandler {
  const client: VideoClient = wires[style].client;
  return async (call) => {
    using body = await readVideoBody(deps, call);
    const { members, callbackUrl } = takeCallback(body.members);
    const { request, dropped } = client.read(members, {});
    await refuseVendorIds(deps.relay, call, { dialect: videoStores, body: formAsBody(Object.entries(members)) });
    if (call.id === "imageToVideo" && request.firstFrame === undefined)
      throw new Failure("missing_required_parameter", "Missing required parameter: image.", { param: "image" });
    await answerCreated(deps, call, { style, client, request, dropped, callbackUrl });
  };
}

/** Creates a task and answers in its client's style. If the client has left, it finds the task in its list. */
export async function answerCreated(deps: Deps, call: ServiceCall, wanted: WantedTask): Promise<void> {
  const created = deps.backgroundWork.keep(createTask(deps, call, wanted));
  const { task, dropped }: CreatedTask = await unlessEnded(call.ending, created);
  reportDropped(call.answer, dropped);
  answerJson(call.response, 200, wanted.client.created(shownTask(task), contextOf(deps, call, task.id)));
}
