import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Failure } from "@modelgate/contracts";
import { ClientDisconnected } from "./read-body.ts";

/**
 * Property of a response for the controller that ends its call, and property of a socket for its open response. A
 * WeakMap would keep each response in memory after its call: V8 treats the map's values, and everything that they refer
 * to, as live until its next major collection.
 */
const endingKey = Symbol("ending");
const openKey = Symbol("open");

declare module "node:http" {
  interface ServerResponse {
    [endingKey]?: AbortController;
  }
}

declare module "node:net" {
  interface Socket {
    [openKey]?: ServerResponse;
  }
}

/**
 * Returns the signal that is aborted if a call ends before its answer is complete. Its reason is a Failure if the
 * gateway ends the call, or ClientDisconnected if the client disconnects. A handler that has begun to write the answer
 * must also write the failure. A handler that has not begun only rejects, and `areaHandler` writes the failure.
 */
export function endingOf(response: ServerResponse): AbortSignal {
  const existing = response[endingKey];
  if (existing !== undefined) return existing.signal;
  const controller = new AbortController();
  response[endingKey] = controller;
  const leave = (): void => {
    if (!response.writableFinished)
      controller.abort(new ClientDisconnected("the client disconnected before the answer"));
  };
  if (response.destroyed) leave();
  else response.on("close", leave);
  return controller.signal;
}

/** Ends an open call with a failure that the client may see. */
export function endCall(response: ServerResponse, failure: Failure): void {
  if (!response.writableEnded && !response.destroyed) response[endingKey]?.abort(failure);
}

/** Creates the failure of calls that are open when the process shuts down. */
export function restartFailure(): Failure {
  return new Failure("server_overloaded", "The gateway is being restarted; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

/**
 * Returns the Failure with which the gateway ended a call. Returns undefined if the client has disconnected, or if the
 * call has not been ended.
 */
export function gatewayFailureOf({ reason }: AbortSignal): Failure | undefined {
  return reason instanceof Failure ? reason : undefined;
}

/**
 * Settles like `work`. Rejects with the Failure of the gateway if the gateway ends the call before `work` settles;
 * `work` then continues in the background.
 */
export async function unlessEnded<Result>(ending: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => {
    const failure = gatewayFailureOf(ending);
    if (failure !== undefined) reject(failure);
  };
  if (ending.aborted) onAbort();
  ending.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    ending.removeEventListener("abort", onAbort);
  }
}

/** Path of the request that an edge sends at its shutdown, on the connection of an open call, to end that call. */
export const shutdownPath = "/-/going";

/** Complete HTTP request for `shutdownPath`, as text to write to the connection. */
export const shutdownRequest = `POST ${shutdownPath} HTTP/1.1\r\nhost: modelgate\r\ncontent-length: 0\r\n\r\n`;

/** Records which response is open on a connection. */
export function recordOpenResponse(socket: Socket, response: ServerResponse): void {
  socket[openKey] = response;
}

/** Ends the call that is open on a connection, because its edge shuts down. */
export function endCallOn(socket: Socket): void {
  const response = socket[openKey];
  if (response !== undefined) endCall(response, restartFailure());
}
