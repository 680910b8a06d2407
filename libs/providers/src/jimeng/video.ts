import { createHash } from "node:crypto";
import { Failure } from "@modelgate/contracts";
import { runToEnd, stringifyInTurns } from "@modelgate/wires/json";
import type { PollCall, StartCall } from "../call.ts";
import { requestTo, type VendorRequest } from "../request.ts";
import { volcengineHeaders } from "./sign.ts";

const apiVersion = "2022-08-31";

/**
 * Builds the request that starts a task. All actions have the same address and are named in the query. Every request is
 * signed.
 */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  return yield* signedRequest(call, "CVSync2AsyncSubmitTask", call.body);
}

export function pollVideo(call: PollCall): VendorRequest {
  const slash = call.task.indexOf("/");
  const [id, model] = [call.task.slice(0, slash), call.task.slice(slash + 1)];
  return runToEnd(signedRequest(call, "CVSync2AsyncGetResult", { req_key: model, task_id: id }));
}

/** Returns the stored id of a task. It contains the model, because a poll must name it. */
export function taskOf(id: string, { model }: Pick<StartCall, "model">): string {
  return `${id}/${model}`;
}

function* signedRequest(
  call: StartCall | PollCall,
  action: string,
  members: object,
): Generator<undefined, VendorRequest> {
  const url = new URL(call.baseUrl);
  url.searchParams.set("Action", action);
  url.searchParams.set("Version", apiVersion);
  const body = yield* stringifyInTurns(members);
  const bodyHash = yield* sha256InSteps(body);
  const [accessKey = "", secretKey = ""] = call.key.split("|");
  const headers = volcengineHeaders({ url, method: "POST", bodyHash, accessKey, secretKey, nowMs: call.nowMs });
  return requestTo(url, call, headers, body);
}
/** Number of bytes that are hashed in one step. A step takes less than a millisecond. */
const hashStepBytes = 256 * 1024;

/** Computes the SHA-256 of a body in hex, in steps. */
function* sha256InSteps(body: Buffer): Generator<undefined, string> {
  const hash = createHash("sha256");
  for (let at = 0; at < body.length; at += hashStepBytes) {
    hash.update(body.subarray(at, at + hashStepBytes));
    yield;
  }
  return hash.digest("hex");
}
