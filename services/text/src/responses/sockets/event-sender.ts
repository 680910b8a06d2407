import type { WebSocket } from "ws";

/**
 * Sends events that are not part of a response's stream. The client can cause them without limit, so its messages are
 * not read while it does not read the events. A client that never reads them misses its pings, and is disconnected.
 */
export class EventSender {
  readonly #socket: WebSocket;
  readonly #bufferedBytes: number;
  #unsent = 0;

  /** `bufferedBytes` are the maximum bytes of events that may wait to be sent while messages are read. */
  constructor(socket: WebSocket, bufferedBytes: number) {
    this.#socket = socket;
    this.#bufferedBytes = bufferedBytes;
  }

  /** Sends an event, unless the connection is closing. */
  send(event: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const data = Buffer.from(event);
    this.#unsent += data.length;
    if (this.#unsent > this.#bufferedBytes) this.#socket.pause();
    this.#socket.send(data, { binary: false }, () => {
      this.#unsent -= data.length;
      if (this.#socket.isPaused && this.#unsent <= this.#bufferedBytes) this.#socket.resume();
    });
  }
}
