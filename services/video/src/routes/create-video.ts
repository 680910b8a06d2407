import type { TaskRecord } from "@modelgate/accounts";
import { Failure, type ClientVideoWire } from "@modelgate/contracts";
import { inTurnsIfLong, unlessEnded, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { formAsBody, refuseVendorIds, runCall } from "@modelgate/relay";
import { checkImages, videoStoreDialect, wires, type VideoClient } from "@modelgate/wires/video";
import { extractCallback } from "../callbacks.ts";
import type { Deps } from "../deps.ts";
import { Frames } from "../frames.ts";
import { readVideoBody } from "../read-body.ts";
import { taskContext, taskForClient } from "../show-task.ts";
import type { VideoTaskRequest } from "../price-task.ts";
import { VideoKind } from "../video-kind.ts";

/** Creates a task for a client of any wire but Jimeng's (see `epsilon.ts`). */
export function createVideo(deps: Deps, clientWire: ClientVideoWire): EndpointHandler {
  const client: VideoClient = wires[clientWire].client;
  const kind = new VideoKind(deps);
  return async (call) => {
    using body = await readVideoBody(deps, call);
    const { members, callbackUrl } = extractCallback(body.members);
    const { request, dropped } = client.read(members, {});
    await refuseVendorIds(deps.relay, call, { dialect: videoStoreDialect, body: formAsBody(Object.entries(members)) });
    if (call.id === "imageToVideo" && request.firstFrame === undefined)
      throw new Failure("missing_required_parameter", "Missing required parameter: image.", { param: "image" });
    await createAndAnswer(kind, call, { clientWire, client, request, dropped, callbackUrl });
  };
}

/** Creates a task and answers in the client's wire. If the client disconnects, it finds the task in its list. */
export async function createAndAnswer(kind: VideoKind, call: ServiceCall, request: VideoTaskRequest): Promise<void> {
  await unlessEnded(call.ending, kind.deps.backgroundWork.track(createTask(kind, call, request)));
}

/** Creates a task. A Failure about the model contains the name of its field in the client's wire. */
async function createTask(kind: VideoKind, call: ServiceCall, videoRequest: VideoTaskRequest): Promise<void> {
  const { deps } = kind;
  const { client, request } = videoRequest;
  await inTurnsIfLong(checkImages(request));
  using frames = new Frames(deps, request, call.caller);
  const answer = (task: TaskRecord): object => client.created(taskForClient(task), taskContext(deps, call, task.id));
  const ending = new AbortController().signal;
  try {
    const input = { model: request.model, wanted: videoRequest, frames, answer };
    await runCall(deps.relay, { ...call, ending }, kind, input);
  } catch (error) {
    const param = client.spelling["model"];
    if (param === undefined || !(error instanceof Failure) || error.param !== "model") throw error;
    throw new Failure(error.code, error.message, { param, cause: error });
  }
}
