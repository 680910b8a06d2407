import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/formats/json";
import type { DownloadCall, PollCall, StartCall } from "../call.ts";
import { requestTo, type VendorRequest } from "../request.ts";
import { splitBaseUrl } from "./address.ts";

const json = { "content-type": "application/json" };

/** Builds the request that starts an operation. A bucket in the base URL (`?storageUri=gs://…`) stores the videos. */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const { project, storageUri } = splitBaseUrl(call.baseUrl);
  const { parameters } = call.body;
  const hasParameters = typeof parameters === "object" && parameters !== null;
  const body =
    storageUri === null
      ? call.body
      : { ...call.body, parameters: { ...(hasParameters ? parameters : {}), storageUri } };
  return requestTo(modelAt(project, call.model, "predictLongRunning"), call, json, yield* stringifyInTurns(body));
}

/** Builds the request for an operation's state, whose answer may contain the video. */
export function pollVideo(call: PollCall | DownloadCall): VendorRequest {
  const [, model = "unknown"] = /\/models\/([^/]+)\/operations\//.exec(call.task) ?? [];
  const url = modelAt(splitBaseUrl(call.baseUrl).project, model, "fetchPredictOperation");
  return requestTo(url, call, json, Buffer.from(JSON.stringify({ operationName: call.task })));
}

function modelAt(project: string, model: string, action: string): URL {
  return new URL(`${project}/publishers/google/models/${encodeURIComponent(model)}:${action}`);
}
