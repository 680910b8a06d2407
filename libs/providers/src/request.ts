import type { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";
import type { AnswerCall, SessionCall, StartCall, VendorCall } from "./call.ts";

/** A request to a vendor, complete: only to be sent. */
export interface VendorRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent as it comes. */
  readonly body?: Buffer | Readable | undefined;
}

/** The parts of a call that its address may depend on. */
export type Addressed = Pick<AnswerCall | SessionCall, "baseUrl" | "wire" | "model"> &
  Partial<Pick<AnswerCall, "stream">>;

/**
 * Makes the requests of a vendor that answers at once, with its key in a header. They throw Failure upstream_error for
 * anything about tasks.
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

/** Puts a request together: the usual headers, those of the vendor over them, and those of the call over both. */
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

/** A WebSocket's handshake negotiates for itself, and files come as they are. */
function usualHeaders(call: VendorCall | StartCall): Readonly<Record<string, string>> {
  const { act, requestId } = call;
  if (act === "download" || act === "file") return {};
  const named = requestId === undefined ? {} : { "x-request-id": requestId };
  if (act === "session") return named;
  const accept = act === "answer" && call.stream ? "text/event-stream" : "application/json";
  return { accept, "accept-encoding": "identity", ...named };
}

/** The header that carries the key, of OpenAI and its likes. */
export function bearer({ key }: Pick<VendorCall, "key">): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
