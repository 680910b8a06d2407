import type { ServerResponse } from "node:http";

/** Destination of an answer: its head, then its body in pieces, independent of the transport. */
export interface AnswerSink {
  /** True after the head was sent. */
  readonly begun: boolean;
  /** True if nothing more can be sent: the answer has ended, or its client has disconnected. */
  readonly closed: boolean;
  /**
   * True while the client reads more slowly than the answer is written; the watcher's `drained` is called when it has
   * caught up.
   */
  readonly full: boolean;
  /** Adds a header to a head that was not sent yet. */
  setHeader(name: string, value: string): void;
  /** Announces a trailer in a head that was not sent yet; does nothing if the connection does not support trailers. */
  announceTrailer(name: string): void;
  /** Adds an announced trailer; call it before the last piece. */
  addTrailer(name: string, value: string): void;
  /** Sends the head. */
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** Sends a piece of the body. Returns false if the sink is full afterwards. */
  write(piece: Buffer | string): boolean;
  /** Sends the last piece. */
  end(last?: Buffer | string): void;
  /** Closes the connection, so that the client does not take the part that it has for a complete answer. */
  destroy(): void;
  /** Calls the watcher when the sink drains or closes, until disposed. */
  watch(watcher: SinkWatcher): Disposable;
}

/** Called when a sink drains or closes. */
export interface SinkWatcher {
  /** The client has read everything that was written. */
  drained?(): void;
  /** The sink is closed; `whole` is true if the client has received the complete answer. */
  closed?(whole: boolean): void;
}

/** Sink of Node's HTTP server. */
export class HttpSink implements AnswerSink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get begun(): boolean {
    return this.#response.headersSent;
  }

  get closed(): boolean {
    return this.#response.destroyed;
  }

  get full(): boolean {
    return this.#response.writableNeedDrain;
  }

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value);
  }

  announceTrailer(name: string): void {
    const { httpVersionMajor, httpVersionMinor } = this.#response.req;
    // An HTTP/1.0 body is not sent in chunks, and has no trailers.
    if (httpVersionMajor > 1 || httpVersionMinor > 0) this.#response.setHeader("trailer", name);
  }

  addTrailer(name: string, value: string): void {
    if (this.#response.getHeader("trailer") !== undefined) this.#response.addTrailers({ [name]: value });
  }

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(status, headers);
  }

  write(piece: Buffer | string): boolean {
    return this.#response.write(piece);
  }

  end(last?: Buffer | string): void {
    this.#response.end(last);
  }

  destroy(): void {
    this.#response.destroy();
  }

  watch({ drained, closed }: SinkWatcher): Disposable {
    const response = this.#response;
    const onClose = (): void => closed?.(response.writableFinished);
    const onDrain = (): void => drained?.();
    response.once("close", onClose).on("drain", onDrain);
    return { [Symbol.dispose]: () => void response.off("close", onClose).off("drain", onDrain) };
  }
}
