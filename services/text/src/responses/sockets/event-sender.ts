import type { WebSocket } from "ws";

/** Sends events that are not part of a response. Stops reading from a client that does not read these events. */
export class EventSender {
  readonly #socket: WebSocket;
  readonly #bufferedBytes: number;
  #unsent = 0;

  /** Pauses reading from the client while more than `bufferedBytes` of events are unsent. */
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
