import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/formats/json";
import type { PollCall, StartCall, VendorCall } from "../call.ts";
import { requestTo, type VendorRequest } from "../request.ts";

/** Returns the header with the key. Downloads of finished videos need it too. */
export function keyHeader({ key }: Pick<VendorCall, "key">): Readonly<Record<string, string>> {
  return { "x-goog-api-key": key };
}

/** Builds the request that starts a video operation. */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const url = new URL(`${withVersion(call.baseUrl)}/models/${encodeURIComponent(call.model)}:predictLongRunning`);
  const headers = { ...keyHeader(call), "content-type": "application/json" };
  return requestTo(url, call, headers, yield* stringifyInTurns(call.body));
}

/** Builds the request for an operation's state. */
export function pollVideo(call: PollCall): VendorRequest {
  const name = call.task.split("/").map(encodeURIComponent).join("/");
  return requestTo(new URL(`${withVersion(call.baseUrl)}/${name}`), call, keyHeader(call));
}

/** Returns the base URL, with the default version unless it ends in a version. */
export function withVersion(baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  return /\/v\d\w*$/.test(base) ? base : `${base}/v1beta`;
}
