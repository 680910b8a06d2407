import type { Duplex } from "node:stream";
import { Failure } from "@modelgate/contracts";
import { ClientDisconnected } from "@modelgate/platform";
import type { RealtimeMessage } from "@modelgate/wires/realtime";
import type { WebSocket } from "ws";

/** Assumed memory of a waiting message in addition to its bytes, so that empty messages have a size. */
export const messageOverheadBytes = 256;

/** Client of a session that is being opened. */
export interface OpeningClient extends Disposable {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Opens the WebSocket if it is not open yet. Throws ClientDisconnected if the client has disconnected. */
  openSocket(): { readonly socket: WebSocket; readonly early?: readonly RealtimeMessage[] };
}

/** Client whose session is being opened after the protocol switch. Its messages are stored meanwhile. */
export interface EarlyClient extends OpeningClient {
  /** Rejects with ClientDisconnected if the client disconnects, and with Failure if no message comes in time. */
  firstMessage(): Promise<RealtimeMessage>;
  /** All messages that the client has sent so far. */
  readonly messages: readonly RealtimeMessage[];
}

/** Maximum wait for the first message, in ms, and maximum bytes of the stored messages. */
export interface EarlyLimits {
  readonly setupMs: number;
  readonly bufferedBytes: number;
}

/**
 * Receives a client's messages until its session starts. `name` is that of the first message in the client's format.
 */
export function receiveEarly(client: WebSocket, name: string, { setupMs, bufferedBytes }: EarlyLimits): EarlyClient {
  const messages: RealtimeMessage[] = [];
  const disconnected = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<RealtimeMessage>();
  promise.catch(() => undefined);
  const timer = setTimeout(
    () => reject(new Failure("invalid_value", `The first message, ${name}, did not arrive in time.`)),
    setupMs,
  );
  let bytes = 0;
  const onMessage = (data: unknown, binary: boolean): void => {
    if (!Buffer.isBuffer(data)) return;
    const message = { data, binary };
    messages.push(message);
    bytes += data.length + messageOverheadBytes;
    if (bytes > bufferedBytes) client.pause();
    clearTimeout(timer);
    resolve(message);
  };
  const onClose = (): void => {
    disconnected.abort();
    reject(new ClientDisconnected("the client disconnected before the session"));
  };
  client.on("message", onMessage).once("close", onClose);
  // The close event follows an error.
  client.on("error", () => undefined);
  const dispose = (): void => {
    clearTimeout(timer);
    client.off("message", onMessage).off("close", onClose);
  };
  return {
    messages,
    signal: disconnected.signal,
    firstMessage: () => promise,
    openSocket() {
      dispose();
      client.resume();
      return { socket: client, early: messages };
    },
    [Symbol.dispose]: dispose,
  };
}

/** Watch of a client's connection while its session is opened. Dispose it before the connection is read. */
export interface DisconnectWatch extends Disposable {
  readonly signal: AbortSignal;
}

/** Watches a connection that is not read yet, to notice when the client disconnects. */
export function watchDisconnect(socket: Duplex): DisconnectWatch {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const readEnd = (): void => {
    // The end event is emitted only after a read. Data of the client stays unread.
    if (socket.readableLength === 0) socket.read();
  };
  socket.on("readable", readEnd).once("end", abort).once("close", abort);
  if (socket.destroyed) abort();
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => void socket.off("readable", readEnd).off("end", abort).off("close", abort),
  };
}
