import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/wires/json";
import type { PollCall, StartCall, VendorCall } from "../call.ts";
import { requestTo, type VendorRequest } from "../request.ts";

/** The header that carries the key; a finished film is behind it too. */
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

/** Returns the address of an operation, which is its name. */
export function pollVideo(call: PollCall): VendorRequest {
  const name = call.task.split("/").map(encodeURIComponent).join("/");
  return requestTo(new URL(`${versioned(call.baseUrl)}/${name}`), call, keyed(call));
}

/** The base URL with a version: the vendor's own, unless it names one. */
export function versioned(baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  return /\/v\d\w*$/.test(base) ? base : `${base}/v1beta`;
}
