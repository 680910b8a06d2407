import type { IncomingMessage } from "node:http";

/** Maximum silence of a client in the rest of a refused upload, in ms. */
const silenceMs = 2_000;
/** Maximum ms for which the rest of a refused upload is read and discarded. */
const lingerMs = 30_000;

/**
 * Reads and discards the rest of a refused body for a limited time. Otherwise the client, which is still sending, would
 * get a connection reset before the refusal. A client that is silent, or sends longer, is disconnected.
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
