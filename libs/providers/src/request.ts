import type { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";
import type { AnswerCall, RunCall, SessionCall, StartCall, VendorCall } from "./call.ts";

/** A complete request to a vendor. */
export interface VendorRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the request. A stream is sent while it arrives. */
  readonly body?: Buffer | Readable | undefined;
}

/** Members of a call that determine its address. */
export type AddressedCall = Pick<AnswerCall | SessionCall, "baseUrl" | "wire" | "model"> &
  Partial<Pick<AnswerCall, "stream">>;

/**
 * Creates a function that builds a vendor's requests. The function throws Failure upstream_error for calls about tasks.
 */
export function requestBuilder(
  address: (call: AddressedCall) => URL,
  headers: (call: VendorCall) => Readonly<Record<string, string>>,
): (call: VendorCall) => VendorRequest {
  return (call) => {
    if (call.act === "answer" || call.act === "session") return requestTo(address(call), call, headers(call));
    if (call.act === "file") return requestTo(call.url, call, headers(call));
    throw new Failure("upstream_error", "The vendor of this model does not support tasks.");
  };
}

/** Builds a request. The vendor's headers replace the usual headers, and the call's headers replace both. */
export function requestTo(
  url: URL,
  call: VendorCall | StartCall | RunCall,
  headers: Readonly<Record<string, string>>,
  posted?: Buffer,
): VendorRequest {
  if (call.act !== "answer")
    return {
      url,
      method: posted === undefined ? "GET" : "POST",
      headers: { ...usualHeaders(call), ...headers, ...call.headers },
      body: posted,
    };
  if (call.query !== undefined)
    for (const [name, value] of Object.entries(call.query)) url.searchParams.set(name, value);
  const all: Record<string, string> = { "content-type": "application/json" };
  Object.assign(all, usualHeaders(call), headers, call.headers);
  return { url, method: "POST", headers: all, body: call.body };
}

function usualHeaders(call: VendorCall | StartCall | RunCall): Readonly<Record<string, string>> {
  const { act, requestId } = call;
  if (act === "download" || act === "file") return {};
  const idHeader = requestId === undefined ? {} : { "x-request-id": requestId };
  if (act === "session") return idHeader;
  const isStream = act === "follow" || (act === "answer" && call.stream);
  const accept = isStream ? "text/event-stream" : "application/json";
  return { accept, "accept-encoding": "identity", ...idHeader };
}

/** Returns the authorization header of OpenAI and compatible vendors. */
export function bearerHeader({ key }: Pick<VendorCall, "key">): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
