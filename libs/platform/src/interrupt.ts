import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Failure } from "@modelgate/contracts";
import { endCall, restarting } from "./ending.ts";

/** Ends a call's answer before it is over, for a reason that the client may see. */
type Interrupted = (failure: Failure) => void;

/**
 * Where an answer has what ends it, and a connection the answer that is open on it. A WeakMap would have each answer outlive
 * its call: V8 takes the values of one for live until it next collects old objects, and what a value refers to with it.
 */
const listenersKey = Symbol("listeners");
const openKey = Symbol("open");

declare module "node:http" {
  interface ServerResponse {
    [listenersKey]?: Interrupted[];
  }
}

declare module "node:net" {
  interface Socket {
    [openKey]?: ServerResponse;
  }
}

/** The path that an ending edge requests of a service, on the connection of an open call, to end that call. */
export const goingPath = "/-/going";

/** The request for it, as it stands on the connection. */
export const goingRequest = `POST ${goingPath} HTTP/1.1\r\nhost: modelgate\r\ncontent-length: 0\r\n\r\n`;

/**
 * Registers how a call ends where the gateway, not its client, goes before it is over. Of several the one that was
 * registered last is called: it knows best what the client has so far. Disposed when it no longer does.
 */
export function onInterrupt(response: ServerResponse, listener: Interrupted): Disposable {
  const all = (response[listenersKey] ??= []);
  all.push(listener);
  return { [Symbol.dispose]: () => void all.splice(all.indexOf(listener), 1) };
}

/** Ends an open call because this process does. */
export function interrupt(response: ServerResponse): void {
  if (response.writableEnded || response.destroyed) return;
  const failure = restarting();
  endCall(response, failure);
  response[listenersKey]?.at(-1)?.(failure);
}

/** Remembers which call is open on a connection. */
export function opened(socket: Socket, response: ServerResponse): void {
  socket[openKey] = response;
}

/** Ends the call that is open on a connection, as its edge asks. */
export function interruptOn(socket: Socket): void {
  const response = socket[openKey];
  if (response !== undefined) interrupt(response);
}
