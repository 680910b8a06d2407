import type { IncomingMessage } from "node:http";

/** Maximum silence of a client in the rest of a refused upload. */
const silenceMs = 2_000;
/** Maximum time for which the rest of a refused upload is read and discarded. */
const lingerMs = 30_000;

/**
 * Reads a body that was refused on to nowhere, for a while: closing the connection at once, or not reading, would lose the
 * refusal on its way to a client that is still sending. A client that is silent, or sends on after that, is cut off.
 */
export function lingerOver(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const cut = (): void => {
    if (!request.complete) request.destroy();
  };
  request.unpipe();
  request.resume();
  const silence = setTimeout(cut, silenceMs).unref();
  const whole = setTimeout(cut, lingerMs).unref();
  request
    .on("data", () => silence.refresh())
    .once("close", () => {
      clearTimeout(silence);
      clearTimeout(whole);
    });
}
