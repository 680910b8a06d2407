import type { ServerResponse } from "node:http";
import { Failure } from "@modelgate/contracts";
import { ClientGone } from "./read-body.ts";

/**
 * Where an answer has the controller of its ending. A WeakMap would have each answer outlive its call: V8 takes the values
 * of one for live until it next collects old objects, and what a value refers to with it.
 */
const endingKey = Symbol("ending");

declare module "node:http" {
  interface ServerResponse {
    [endingKey]?: AbortController;
  }
}

/**
 * Returns the signal that ends a call before its answer is over. Its reason is a Failure where the gateway ends, ClientGone
 * where the client has left. It stays quiet where the client has the answer to its last byte.
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
