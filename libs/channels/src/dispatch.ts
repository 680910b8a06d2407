import type { Dispatcher } from "undici";
import type { BodySink, UpstreamAnswer, UpstreamRequest } from "./upstream.ts";

/** The connection had died before the system took the first byte of a request. */
export class NothingSent extends Error {
  override readonly name = "NothingSent";
  readonly code = "NOTHING_SENT";
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Sends a request over connections that are there already, once; rejects as `Transport.send`. */
export function dispatchOn(
  connections: Dispatcher,
  { url, method, headers, body, timeoutMs, sent }: UpstreamRequest,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  return new Promise<UpstreamAnswer>((resolve, reject) => {
    const exchange = new Exchange(resolve, reject, signal, sent);
    connections.dispatch(
      {
        path: url.pathname + url.search,
        method,
        headers: { ...headers },
        body: body ?? null,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      },
      exchange,
    );
  });
}

/** One request and its answer, as undici's handler and as what the caller holds. */
class Exchange implements Dispatcher.DispatchHandler, UpstreamAnswer {
  status = 0;
  headers: UpstreamAnswer["headers"] = {};
  readonly #answered: (answer: UpstreamAnswer) => void;
  readonly #failed: (error: Error) => void;
  readonly #signal: AbortSignal;
  readonly #sent: (() => void) | undefined;
  readonly #onAbort = (): void => this.abort();
  #controller: Dispatcher.DispatchController | undefined;
  #sink: BodySink | undefined;
  /** What came in this turn: a vendor's parts are often small, and read together. */
  #pieces: Buffer[] = [];
  #paused = false;
  #over: { readonly error?: Error } | undefined;

  constructor(
    answered: (answer: UpstreamAnswer) => void,
    failed: (error: Error) => void,
    signal: AbortSignal,
    sent: (() => void) | undefined,
  ) {
    this.#sent = sent;
    this.#answered = answered;
    this.#failed = failed;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.abort();
    else this.#sent?.();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamAnswer["headers"]): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    controller.pause();
    this.#answered(this);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#pieces.push(chunk) === 1) process.nextTick(() => this.#passOn());
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish({ error });
    this.#failed(isRefusedWrite(error) ? new NothingSent(error) : error);
  }

  pipe(sink: BodySink): void {
    this.#sink = sink;
    if (this.#over === undefined) this.#controller?.resume();
    else this.#end(sink, this.#over);
  }

  pause(): void {
    this.#paused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#pieces.length > 0) process.nextTick(() => this.#passOn());
    this.#controller?.resume();
  }

  abort(): void {
    this.#pieces = [];
    this.#controller?.abort(new Error("the exchange was ended by the gateway"));
  }

  #finish(over: { readonly error?: Error }): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#paused = false;
    const refused = this.#handOn();
    this.#over = refused === undefined ? over : { error: refused };
    if (this.#sink !== undefined) this.#end(this.#sink, this.#over);
  }

  /** Ends the exchange where what has come is not taken. */
  #passOn(): void {
    const refused = this.#handOn();
    if (refused !== undefined) this.#controller?.abort(refused);
  }

  /** Hands on what has come, unless the sink wants nothing for now; gives what the sink throws. */
  #handOn(): Error | undefined {
    const [first] = this.#pieces;
    if (first === undefined || this.#paused) return undefined;
    const chunk = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    try {
      this.#sink?.data(chunk);
      return undefined;
    } catch (error) {
      // As undici does with what a handler throws: outside its parser nothing else would catch it.
      return error instanceof Error ? error : new Error("an answer was not taken", { cause: error });
    }
  }

  #end(sink: BodySink, { error }: { readonly error?: Error }): void {
    if (error === undefined) sink.end();
    else sink.broken(error);
  }
}

/**
 * Whether the system refused the very write that hands a request over: it took none of it then. A write that it took
 * in part, or took and could not deliver, fails later, with the same code; only where the error was made sets them
 * apart. (Of TLS it does not: there nothing is sure, and nothing is sent again.)
 */
function isRefusedWrite(error: Error): boolean {
  return "syscall" in error && error.syscall === "write" && error.stack?.includes("afterWriteDispatched") === true;
}
