import type { ServerResponse } from "node:http";

/** Destination of an answer, independent of the transport. */
export interface AnswerSink {
  readonly isHeadSent: boolean;
  /** True if nothing more can be sent, because the answer is complete or the client has disconnected. */
  readonly isClosed: boolean;
  /** True while the client reads more slowly than the answer is written. */
  readonly isFull: boolean;
  /** Must be called before the head is sent. */
  setHeader(name: string, value: string): void;
  /** Announces a trailer before the head is sent. Does nothing if the connection does not support trailers. */
  announceTrailer(name: string): void;
  /** Sends an announced trailer. Must be called before the last piece is sent. */
  addTrailer(name: string, value: string): void;
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** Returns false if `isFull` is true afterwards. */
  write(piece: Buffer | string): boolean;
  end(last?: Buffer | string): void;
  /** Closes the connection, so that the client notices that the answer is incomplete. */
  destroy(): void;
  /** Calls the watcher until the result is disposed. */
  watch(watcher: SinkWatcher): Disposable;
}

/** Callbacks of a sink. */
export interface SinkWatcher {
  /** Called when the client has read everything that was written. */
  drained?(): void;
  /** Called when the sink is closed. `isComplete` is true if the operating system has the complete answer. */
  closed?(isComplete: boolean): void;
}

/** Sink for a response of Node's HTTP server. */
export class HttpSink implements AnswerSink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isHeadSent(): boolean {
    return this.#response.headersSent;
  }

  get isClosed(): boolean {
    return this.#response.destroyed;
  }

  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value);
  }

  announceTrailer(name: string): void {
    announceTrailer(this.#response, name);
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
    response.on("close", onClose).on("drain", onDrain);
    return { [Symbol.dispose]: () => void response.off("close", onClose).off("drain", onDrain) };
  }
}

/** Announces a trailer, unless the client's connection has none. */
export function announceTrailer(response: ServerResponse, name: string): void {
  const { httpVersionMajor, httpVersionMinor } = response.req;
  // HTTP/1.0 has no chunks, and therefore no trailers.
  if (httpVersionMajor > 1 || httpVersionMinor > 0) response.setHeader("trailer", name);
}
