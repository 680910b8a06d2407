import type { IncomingMessage } from "node:http";

/** How long the rest of a refused upload is read and thrown away. */
const lingerMs = 2_000;

/**
 * Reads a body that was refused on to nowhere, for a moment: closing the connection at once, or not reading, would
 * lose the refusal on its way to a client that is still sending. A client that still sends after that is cut off.
 */
export function lingerOver(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, lingerMs);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
}
