import { Failure } from "@modelgate/contracts";
import type { VendorRequest, VideoAccess, VideoCall } from "../video/access.ts";
import { volcengineHeaders } from "./sign.ts";

const version = "2022-08-31";

function signed(call: VideoCall, action: string, said: object): VendorRequest {
  const url = new URL(call.baseUrl);
  url.searchParams.set("Action", action);
  url.searchParams.set("Version", version);
  const body = Buffer.from(JSON.stringify(said));
  const [accessKey = "", secretKey = ""] = call.key.split("|");
  const headers = volcengineHeaders({ url, method: "POST", body, accessKey, secretKey, nowMs: call.nowMs });
  return { url, method: "POST", headers, body };
}

/** Jimeng's video tasks: one address, two actions, every request signed. */
export const jimengVideo: VideoAccess = {
  start(call) {
    if (call.remixOf !== undefined)
      throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
    return signed(call, "CVSync2AsyncSubmitTask", call.body);
  },
  // A result is asked for by the model as well.
  operationOf: (id, { model }) => `${id}/${model}`,
  look(call) {
    const slash = call.operation.indexOf("/");
    const [id, model] = [call.operation.slice(0, slash), call.operation.slice(slash + 1)];
    return signed(call, "CVSync2AsyncGetResult", { req_key: model, task_id: id });
  },
  content: () => undefined,
};
