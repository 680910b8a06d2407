import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/wires/json";
import type { PollCall, StartCall, VendorCall } from "../call.ts";
import { bearer } from "../openai/video.ts";
import { requestTo, type VendorRequest } from "../request.ts";

/** Starts a task. */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const headers = { ...bearer(call), "content-type": "application/json" };
  return requestTo(tasksAt(call), call, headers, yield* stringifyInTurns(call.body));
}

export function pollVideo(call: PollCall): VendorRequest {
  return requestTo(tasksAt(call, call.task), call, bearer(call));
}

function tasksAt({ baseUrl }: Pick<VendorCall, "baseUrl">, ...more: readonly string[]): URL {
  const path = ["/contents/generations/tasks", ...more.map(encodeURIComponent)].join("/");
  return new URL(baseUrl.replace(/\/+$/, "") + path);
}
