import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Failure } from "@modelgate/contracts";

/** Ends a call's answer before it is over, for a reason that the client may see. */
type Interrupted = (failure: Failure) => void;

const listeners = new WeakMap<ServerResponse, Interrupted[]>();
const open = new WeakMap<Socket, ServerResponse>();

/** The path that an ending edge requests of a service, on the connection of an open call, to end that call. */
export const goingPath = "/-/going";

/** The request for it, as it stands on the connection. */
export const goingRequest = `POST ${goingPath} HTTP/1.1\r\nhost: modelgate\r\ncontent-length: 0\r\n\r\n`;

/** How long before its connections are closed a draining process ends what is still open: its last words must arrive. */
export function partingMs(drainMs: number): number {
  return Math.min(2_000, drainMs / 4);
}

/**
 * Registers how a call ends where the gateway, not its client, goes before it is over. Of several the one that was
 * registered last is called: it knows best what the client has so far. Disposed when it no longer does.
 */
export function onInterrupt(response: ServerResponse, listener: Interrupted): Disposable {
  const all = listeners.get(response) ?? [];
  listeners.set(response, all);
  all.push(listener);
  return { [Symbol.dispose]: () => void all.splice(all.indexOf(listener), 1) };
}

/** Ends an open call because this process does. */
export function interrupt(response: ServerResponse): void {
  if (response.writableEnded || response.destroyed) return;
  listeners.get(response)?.at(-1)?.(
    new Failure("server_overloaded", "The gateway is being restarted; try again shortly.", { retryAfterSeconds: 1 }),
  );
}

/** Remembers which call is open on a connection. */
export function opened(socket: Socket, response: ServerResponse): void {
  open.set(socket, response);
}

/** Ends the call that is open on a connection, as its edge asks. */
export function interruptOn(socket: Socket): void {
  const response = open.get(socket);
  if (response !== undefined) interrupt(response);
}
