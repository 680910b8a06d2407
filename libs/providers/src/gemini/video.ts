import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/wires/json";
import type { PollCall, StartCall, VendorCall } from "../call.ts";
import { requestTo, type VendorRequest } from "../request.ts";

/** Returns the header with the key, which downloads of finished videos need too. */
export function keyed({ key }: Pick<VendorCall, "key">): Readonly<Record<string, string>> {
  return { "x-goog-api-key": key };
}

/** Starts an operation. */
export function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const url = new URL(`${versioned(call.baseUrl)}/models/${encodeURIComponent(call.model)}:predictLongRunning`);
  const headers = { ...keyed(call), "content-type": "application/json" };
  return requestTo(url, call, headers, yield* stringifyInTurns(call.body));
}

/** Returns the request for an operation's state; the operation's name is its path. */
export function pollVideo(call: PollCall): VendorRequest {
  const name = call.task.split("/").map(encodeURIComponent).join("/");
  return requestTo(new URL(`${versioned(call.baseUrl)}/${name}`), call, keyed(call));
}

/** Returns the base URL with a version: the vendor's default unless it names one. */
export function versioned(baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  return /\/v\d\w*$/.test(base) ? base : `${base}/v1beta`;
}
