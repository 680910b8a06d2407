import type { WebSocket } from "ws";
import type { Behaviour } from "../behaviour.ts";
import { pause } from "../core/pause.ts";
import { untilReleased } from "../stream.ts";

/** Maximum number of bytes that wait for a slow reader. Above it, the vendor pauses. */
const maxWaiting = 1024 * 1024;
const pollMs = 5;

/** Frame that a simulated vendor sends on a WebSocket. */
export interface SocketFrame {
  /** Object that is sent as JSON, or the exact text to send. */
  readonly event: object | string;
  /** True for frames with content, which delays and faults count. */
  readonly content?: boolean;
}

/** Connection to a client. */
export class Peer {
  readonly #socket: WebSocket;
  readonly #binary: boolean;
  readonly #onSent: (bytes: number) => void;

  constructor(socket: WebSocket, binary: boolean, onSent: (bytes: number) => void) {
    this.#socket = socket;
    this.#binary = binary;
    this.#onSent = onSent;
  }

  get open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(event: object | string): void {
    if (!this.open) return;
    const text = typeof event === "string" ? event : JSON.stringify(event);
    this.#socket.send(text, { binary: this.#binary }, () => this.#onSent(text.length));
  }

  close(code: number, reason = ""): void {
    this.#socket.close(code, reason);
  }

  cut(): void {
    this.#socket.terminate();
  }

  /** Sends an answer with the requested pace and faults. Returns false if a fault or `mayContinue` interrupted it. */
  async play(
    frames: Iterable<SocketFrame>,
    behaviour: Behaviour,
    { mayContinue, failure }: { mayContinue(): boolean; failure: object | undefined },
  ): Promise<boolean> {
    if (behaviour.delayMs !== undefined) await pause(behaviour.delayMs);
    let at = 0;
    for (const { event, content } of frames) {
      if (content === true) {
        if (behaviour.chunkDelayMs !== undefined) await pause(behaviour.chunkDelayMs);
        if (at === 1) await untilReleased(this.#socket, behaviour.waitFor);
        if (!this.#survives(behaviour, at++, failure)) return false;
      }
      while (this.open && this.#socket.bufferedAmount > maxWaiting) await pause(pollMs);
      if (!this.open || !mayContinue()) return false;
      this.send(event);
    }
    return true;
  }

  #survives(
    { cutAfterChunks, stallAfterChunks, errorAfterChunks, closeCode }: Behaviour,
    at: number,
    failure?: object,
  ) {
    if (at === stallAfterChunks) return false;
    if (at === errorAfterChunks) {
      if (failure !== undefined) this.send(failure);
      this.close(closeCode ?? 1011, "simulated failure");
      return false;
    }
    if (at !== cutAfterChunks) return true;
    if (closeCode === undefined) this.cut();
    else this.close(closeCode, "simulated close");
    return false;
  }
}
