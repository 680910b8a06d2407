import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Failure } from "@modelgate/contracts";
import { ClientGone } from "./read-body.ts";

/**
 * Properties that hold the controller of an answer's ending, and the answer that is open on a connection. A WeakMap would
 * have each answer outlive its call: V8 takes the values of one for live until it next collects old objects, and what a
 * value refers to with it.
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
 * Returns the signal that ends a call before its answer is over. Its reason is a Failure where the gateway ends, ClientGone
 * where the client has left. It stays quiet where the client has the answer to its last byte. Whoever writes the answer
 * writes its last words: a handler that has not begun one rejects, and `areaHandler` answers.
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

/** Ends an open call for a reason that its client may see. */
export function endCall(response: ServerResponse, failure: Failure): void {
  if (!response.writableEnded && !response.destroyed) response[endingKey]?.abort(failure);
}

/** Returns the failure that open calls end with where the process ends. */
export function restarting(): Failure {
  return new Failure("server_overloaded", "The gateway is being restarted; try again shortly.", {
    retryAfterSeconds: 1,
  });
}

/** Returns the Failure that a call ends with where the gateway ends it; undefined where its client has left, or it goes on. */
export function endedBy({ reason }: AbortSignal): Failure | undefined {
  return reason instanceof Failure ? reason : undefined;
}

/** Resolves as the work does, or rejects with the Failure that ends its call meanwhile; the work then goes on without it. */
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

/** The path that an ending edge requests of a service, on the connection of an open call, to end that call. */
export const goingPath = "/-/going";

/** The request for it, as bytes on the connection. */
export const goingRequest = `POST ${goingPath} HTTP/1.1\r\nhost: modelgate\r\ncontent-length: 0\r\n\r\n`;

/** Remembers which answer is open on a connection. */
export function noteOpen(socket: Socket, response: ServerResponse): void {
  socket[openKey] = response;
}

/** Ends the call that is open on a connection, because its edge ends. */
export function endOn(socket: Socket): void {
  const response = socket[openKey];
  if (response !== undefined) endCall(response, restarting());
}
