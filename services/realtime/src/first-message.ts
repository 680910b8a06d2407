import type { Duplex } from "node:stream";
import { Failure } from "@modelgate/contracts";
import { ClientGone } from "@modelgate/platform";
import type { RealtimeMessage } from "@modelgate/wires/realtime";
import type { WebSocket } from "ws";

/** A client whose session is being opened after the protocol was switched: its messages meanwhile are kept. */
export interface EarlyClient extends Disposable {
  /** Its first message. Rejects with ClientGone where it leaves, with Failure where it sends nothing in time. */
  first(): Promise<RealtimeMessage>;
  /** All messages that it has sent. */
  readonly messages: readonly RealtimeMessage[];
  /** Aborts when it leaves. */
  readonly signal: AbortSignal;
}

/** Bounds of what is kept, and of the wait. */
export interface EarlyLimits {
  readonly setupMs: number;
  readonly bufferedBytes: number;
}

/** Hears a client until its session begins: disposed, it is no longer listened to, and not read. */
export function receiveEarly(client: WebSocket, { setupMs, bufferedBytes }: EarlyLimits): EarlyClient {
  const messages: RealtimeMessage[] = [];
  const gone = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<RealtimeMessage>();
  promise.catch(() => undefined);
  const timer = setTimeout(
    () => reject(new Failure("invalid_value", "The setup did not come in time.", { param: "setup" })),
    setupMs,
  );
  let bytes = 0;
  const onMessage = (data: unknown, binary: boolean): void => {
    if (!Buffer.isBuffer(data)) return;
    const message = { data, binary };
    messages.push(message);
    bytes += data.length;
    if (bytes > bufferedBytes) client.pause();
    clearTimeout(timer);
    resolve(message);
  };
  const onClose = (): void => {
    gone.abort();
    reject(new ClientGone("the client left before its session"));
  };
  client.on("message", onMessage).once("close", onClose);
  // An error is followed by close.
  client.on("error", () => undefined);
  return {
    messages,
    signal: gone.signal,
    first: () => promise,
    [Symbol.dispose]() {
      clearTimeout(timer);
      client.off("message", onMessage).off("close", onClose);
    },
  };
}

/** Watch of a client's connection that is being opened; disposed when the connection is read. */
export interface ClientLeaving extends Disposable {
  readonly signal: AbortSignal;
}

/** Watches a connection that is not read yet: its end would not be noticed otherwise. Early data stays unread. */
export function watchLeaving(socket: Duplex): ClientLeaving {
  const controller = new AbortController();
  const gone = (): void => controller.abort();
  const readEnd = (): void => {
    // An end is only emitted by a read.
    if (socket.readableLength === 0) socket.read();
  };
  socket.on("readable", readEnd).once("end", gone).once("close", gone);
  if (socket.destroyed) gone();
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => void socket.off("readable", readEnd).off("end", gone).off("close", gone),
  };
}
