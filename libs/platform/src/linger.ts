import type { IncomingMessage } from "node:http";

/** Maximum ms for which a client may send nothing while the rest of a refused body is read. */
const maxSilenceMs = 2_000;
/** Maximum ms for which the rest of a refused body is read and discarded. */
const maxDiscardMs = 30_000;

/**
 * Reads and discards the rest of a refused body for a limited time. Otherwise a client that is still sending would get
 * a connection reset before it reads the refusal. The client is disconnected if it sends nothing for `maxSilenceMs`, or
 * is still sending after `maxDiscardMs`.
 */
export function discardRestOfBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const cut = (): void => {
    if (!request.complete) request.destroy();
  };
  request.unpipe();
  request.resume();
  const silence = setTimeout(cut, maxSilenceMs).unref();
  const total = setTimeout(cut, maxDiscardMs).unref();
  request
    .on("data", () => silence.refresh())
    .once("close", () => {
      clearTimeout(silence);
      clearTimeout(total);
    });
}
