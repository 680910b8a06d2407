import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Failure } from "@modelgate/contracts";
import { ClientGone } from "./read-body.ts";

/**
 * Properties that hold the controller of an answer's ending, and the open answer of a connection. A WeakMap would keep
 * each answer in memory after its call: V8 treats its values, and everything that they refer to, as live until the next
 * collection of old objects.
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
 * Returns the signal that ends a call before its answer is complete. Its reason is a Failure if the gateway ends the
 * call, ClientGone if the client has disconnected. It is not aborted after a complete answer. The code that writes an
 * answer also writes its error; a handler that has not begun one rejects, and `areaHandler` writes the error.
 */
export function endingOf(response: ServerResponse): AbortSignal {
  const known = response[endingKey];
  if (known !== undefined) return known.signal;
  const controller = new AbortController();
  response[endingKey] = controller;
  const leave = (): void => {
    if (!response.writableFinished) controller.abort(new ClientGone("the client left before its answer"));
  };
  if (response.destroyed) leave();
  else response.once("close", leave);
  return controller.signal;
}

/** Ends an open call with a failure that its client may see. */
export function endCall(response: ServerResponse, failure: Failure): void {
  if (!response.writableEnded && !response.destroyed) response[endingKey]?.abort(failure);
}

/** Returns the failure of calls that are open when the process shuts down. */
export function restarting(): Failure {
  return new Failure("server_overloaded", "The gateway is being restarted; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

/**
 * Returns the Failure with which the gateway ended a call; undefined if its client has disconnected, or if it has not
 * ended.
 */
export function endedBy({ reason }: AbortSignal): Failure | undefined {
  return reason instanceof Failure ? reason : undefined;
}

/**
 * Settles as the work does, or rejects with the Failure that ends its call meanwhile; the work then continues in the
 * background.
 */
export async function unlessEnded<Result>(ending: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => {
    const failure = endedBy(ending);
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

/** Path that an edge requests on the connection of an open call when it shuts down, to end that call. */
export const goingPath = "/-/going";

/** HTTP request for it, as it is written to the connection. */
export const goingRequest = `POST ${goingPath} HTTP/1.1\r\nhost: modelgate\r\ncontent-length: 0\r\n\r\n`;

/** Records the answer that is open on a connection. */
export function noteOpen(socket: Socket, response: ServerResponse): void {
  socket[openKey] = response;
}

/** Ends the call that is open on a connection, because its edge shuts down. */
export function endOn(socket: Socket): void {
  const response = socket[openKey];
  if (response !== undefined) endCall(response, restarting());
}
