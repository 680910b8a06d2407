import type { IncomingMessage } from "node:http";

const maxSilenceMs = 2_000;
const maxDiscardMs = 30_000;

/**
 * Reads and discards the rest of a refused body for a limited time. Otherwise the client could get a connection reset
 * before it reads the refusal.
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
