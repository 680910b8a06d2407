import { Failure } from "@modelgate/contracts";
import { answerJson, type EndpointHandler, type ServiceCall } from "@modelgate/platform";
import { refuseVendorIds } from "@modelgate/relay";
import { videoStoreDialect, wires } from "@modelgate/wires/video";
import { extractCallback } from "../callbacks.ts";
import type { Deps } from "../deps.ts";
import { findTaskOfCaller, taskContext, taskForClient } from "../show-task.ts";
import { readVideoBody, type VideoBody } from "../read-body.ts";
import { VideoKind } from "../video-kind.ts";
import { createAndAnswer } from "./create-video.ts";

const { client } = wires["jimeng-video"];

type Action = (kind: VideoKind, call: ServiceCall, body: VideoBody) => Promise<void>;

/** Handlers by the query parameter `Action`. */
const actions: Readonly<Record<string, Action>> = {
  async CVSync2AsyncSubmitTask(kind, call, body) {
    const { members, callbackUrl } = extractCallback(body.members);
    await refuseVendorIds(kind.deps.relay, call, { dialect: videoStoreDialect, body: members });
    await createAndAnswer(kind, call, { clientWire: "jimeng-video", client, ...client.read(members), callbackUrl });
  },
  async CVSync2AsyncGetResult({ deps }, call, { members }) {
    const id = members["task_id"];
    if (typeof id !== "string" || id === "")
      throw new Failure("missing_required_parameter", "Missing required parameter: task_id.", { param: "task_id" });
    const { task } = await findTaskOfCaller(deps, call, id);
    answerJson(call.response, 200, client.render(taskForClient(task), taskContext(deps, call, task.id)));
  },
};

/** POST /epsilon/?Action=…&Version=…: creates a task, or returns its state and result. */
export function epsilon(deps: Deps): EndpointHandler {
  const kind = new VideoKind(deps);
  return async (call) => {
    const name = requireQuery(call, "Action");
    requireQuery(call, "Version");
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined)
      throw new Failure("invalid_value", `Action must be one of ${Object.keys(actions).join(", ")}.`, {
        param: "Action",
      });
    using body = await readVideoBody(deps, call);
    await action(kind, call, body);
  };
}

function requireQuery({ query }: ServiceCall, name: string): string {
  const value = query.get(name);
  if (value !== null && value !== "") return value;
  throw new Failure("missing_required_parameter", `Missing required query parameter: ${name}.`, { param: name });
}
