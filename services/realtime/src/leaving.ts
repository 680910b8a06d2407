import type { Duplex } from "node:stream";

/** Whether a client leaves while its connection is being opened; disposed when somebody else reads the connection. */
export interface ClientLeaving extends Disposable {
  readonly signal: AbortSignal;
}

/** Watches a connection that is not read yet: its end would not be noticed otherwise. What comes early stays unread. */
export function watchLeaving(socket: Duplex): ClientLeaving {
  const controller = new AbortController();
  const gone = (): void => controller.abort();
  const look = (): void => {
    // Reading nothing is what makes an end show itself.
    if (socket.readableLength === 0) socket.read();
  };
  socket.on("readable", look).once("end", gone).once("close", gone);
  if (socket.destroyed) gone();
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => void socket.off("readable", look).off("end", gone).off("close", gone),
  };
}
