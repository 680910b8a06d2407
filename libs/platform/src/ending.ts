import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Failure } from "@modelgate/contracts";
import { ClientDisconnected } from "./read-body.ts";

/**
 * Properties of a response (the controller that ends its call) and of a socket (its open response). V8 would keep the
 * values of a WeakMap in memory until its next major collection.
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
 * Returns the signal that is aborted if a call ends before its answer is complete. Its reason is a Failure or
 * ClientDisconnected. A handler must write that failure only if it has begun to write the answer; otherwise
 * `areaHandler` does.
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

export function endCall(response: ServerResponse, failure: Failure): void {
  if (!response.writableEnded && !response.destroyed) response[endingKey]?.abort(failure);
}

/** Creates the failure of calls that are open when the process shuts down. */
export function restartFailure(): Failure {
  return new Failure("server_overloaded", "The gateway is being restarted; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

/** Returns the Failure with which the gateway ended a call; undefined if it did not. */
export function gatewayFailureOf({ reason }: AbortSignal): Failure | undefined {
  return reason instanceof Failure ? reason : undefined;
}

/** Settles like `work`, but rejects as soon as the gateway ends the call. */
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

/** Path of the request by which an edge that shuts down ends the open call of a connection. */
export const shutdownPath = "/-/going";

/** Complete HTTP request for `shutdownPath`. */
export const shutdownRequest = `POST ${shutdownPath} HTTP/1.1\r\nhost: modelgate\r\ncontent-length: 0\r\n\r\n`;

export function recordOpenResponse(socket: Socket, response: ServerResponse): void {
  socket[openKey] = response;
}

export function endCallOn(socket: Socket): void {
  const response = socket[openKey];
  if (response !== undefined) endCall(response, restartFailure());
}
