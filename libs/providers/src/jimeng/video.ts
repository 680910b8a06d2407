import { Failure } from "@modelgate/contracts";
import { runToEnd, stringifyInTurns } from "@modelgate/formats/json";
import type { PollCall, StartCall } from "../call.ts";
import { requestTo, type VendorRequest } from "../request.ts";

const apiVersion = "2022-08-31";

/** Builds the request that starts a task. The query selects the action. */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  return yield* actionRequest(call, "CVSync2AsyncSubmitTask", call.body);
}

export function pollVideo(call: PollCall): VendorRequest {
  const slash = call.task.indexOf("/");
  const [id, model] = [call.task.slice(0, slash), call.task.slice(slash + 1)];
  return runToEnd(actionRequest(call, "CVSync2AsyncGetResult", { req_key: model, task_id: id }));
}

/** Returns the stored id of a task, with the model that a poll must name. */
export function taskOf(id: string, { model }: Pick<StartCall, "model">): string {
  return `${id}/${model}`;
}

function* actionRequest(
  call: StartCall | PollCall,
  action: string,
  members: object,
): Generator<undefined, VendorRequest> {
  const url = new URL(call.baseUrl);
  url.searchParams.set("Action", action);
  url.searchParams.set("Version", apiVersion);
  return requestTo(url, call, { "content-type": "application/json" }, yield* stringifyInTurns(members));
}
