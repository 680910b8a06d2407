import type { ServerResponse } from "node:http";

/** Destination of an answer: its head once, then its body in pieces, over whatever carries it. */
export interface AnswerSink {
  /** True once the head is sent. */
  readonly begun: boolean;
  /** True once nothing more arrives: the answer is over, or its client has left. */
  readonly closed: boolean;
  /** True while the client reads slower than is written: `drained` resolves when to go on. */
  readonly full: boolean;
  /** Adds a header to a head that is not out yet. */
  setHeader(name: string, value: string): void;
  /** Announces a trailer in a head that is not out yet; nothing where the connection cannot carry one. */
  announceTrailer(name: string): void;
  /** Adds a trailer that was announced, before the last piece. */
  addTrailer(name: string, value: string): void;
  /** Sends the head. */
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** Sends a piece of the body; false where the sink is full with it. */
  write(piece: Buffer | string): boolean;
  /** Sends the last piece. */
  end(last?: Buffer | string): void;
  /** Cuts the connection: what the client has must not pass for a whole answer. */
  destroy(): void;
  /** Calls the watcher about the sink's further life, until disposed. */
  watch(watcher: SinkWatcher): Disposable;
}

/** Called when a sink drains or closes. */
export interface SinkWatcher {
  /** The client has caught up with what was written. */
  drained?(): void;
  /** Nothing more arrives; `whole` says whether the client has the answer to its last byte. */
  closed?(whole: boolean): void;
}

/** The sink of node's HTTP server. */
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
    // A body of HTTP/1.0 is not sent in chunks, and ends without trailers.
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
