import type { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";
import type { AnswerCall, SessionCall, StartCall, VendorCall } from "./call.ts";

/** A complete request to a vendor, ready to be sent. */
export interface VendorRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** Body; a stream is sent as it arrives. */
  readonly body?: Buffer | Readable | undefined;
}

/** Parts of a call that its address may depend on. */
export type Addressed = Pick<AnswerCall | SessionCall, "baseUrl" | "wire" | "model"> &
  Partial<Pick<AnswerCall, "stream">>;

/**
 * Creates the requests of a vendor that answers synchronously, with its key in a header. They throw Failure
 * upstream_error for calls about tasks.
 */
export function requestsAt(
  address: (call: Addressed) => URL,
  headers: (call: VendorCall) => Readonly<Record<string, string>>,
): (call: VendorCall) => VendorRequest {
  return (call) => {
    if (call.act === "answer" || call.act === "session") return requestTo(address(call), call, headers(call));
    if (call.act === "file") return requestTo(call.url, call, headers(call));
    throw new Failure("upstream_error", "The vendor answered with a task, which it does not support.");
  };
}

/** Builds a request. Headers of the vendor override the usual ones, and headers of the call override both. */
export function requestTo(
  url: URL,
  call: VendorCall | StartCall,
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

/** Returns the usual headers: none for a WebSocket's handshake, and no accepted type for a file. */
function usualHeaders(call: VendorCall | StartCall): Readonly<Record<string, string>> {
  const { act, requestId } = call;
  if (act === "download" || act === "file") return {};
  const named = requestId === undefined ? {} : { "x-request-id": requestId };
  if (act === "session") return named;
  const accept = act === "answer" && call.stream ? "text/event-stream" : "application/json";
  return { accept, "accept-encoding": "identity", ...named };
}

/** Returns the authorization header of OpenAI and compatible vendors. */
export function bearer({ key }: Pick<VendorCall, "key">): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
