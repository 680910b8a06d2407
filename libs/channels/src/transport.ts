import { firstHeader } from "@modelgate/contracts";
import { isRequestId } from "@modelgate/platform";
import { Pool, type Dispatcher } from "undici";
import { checkAddress, vendorLookup } from "./link-local.ts";
import type { BodySink, SendState, UpstreamAnswer, UpstreamRequest } from "./attempt-plan.ts";

/**
 * The only HTTP client of the suite: one pool of connections per address. A kept connection may have died meanwhile.
 * undici looks at it before it hands a request over, and takes another one; where its end comes in between, and the
 * system takes no byte of the request, it is sent once more, over another connection. Nothing else is ever sent again
 * here: of what was written the vendor may have heard, and it is for the attempts to judge.
 */
export interface Transport extends AsyncDisposable {
  /**
   * Resolves at the answer's head; rejects where none came (NothingSent: no byte of it left). An aborted signal ends
   * the exchange at any time.
   */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer>;
}

/** Idle connections are dropped before a vendor's server would drop them under a request. */
const keepAliveMs = 4_000;
const connectMs = 10_000;
/** Maximum addresses that connections are kept for; beyond it those of the oldest are closed once they are free. */
const maxPools = 256;

export function openTransport(): Transport {
  const pools = new Map<string, Pool>();

  function poolOf(origin: string): Pool {
    const known = pools.get(origin);
    if (known !== undefined) {
      // What makes the map's tables anew with each call leaves garbage that grows old: the order is kept where it is needed.
      if (pools.size <= maxPools / 2) return known;
      // Behind all others: the first is the one that was unused for longest.
      pools.delete(origin);
      pools.set(origin, known);
      return known;
    }
    const [oldest] = pools.keys();
    if (pools.size >= maxPools && oldest !== undefined) {
      void pools.get(oldest)?.close();
      pools.delete(oldest);
    }
    checkAddress(origin);
    const pool = new Pool(origin, {
      connections: null,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs * 10,
      connect: { timeout: connectMs, lookup: vendorLookup },
    });
    pools.set(origin, pool);
    return pool;
  }

  return {
    async send(request, signal) {
      const pool = poolOf(request.url.origin);
      try {
        return await dispatchOn(pool, request, signal);
      } catch (error) {
        // A stream has been read from by now.
        const isWhole = request.body === undefined || Buffer.isBuffer(request.body);
        if (!(error instanceof NothingSent) || !isWhole || signal.aborted) throw error;
        return dispatchOn(pool, request, signal);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

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
  { url, method, headers, body, timeoutMs, state }: UpstreamRequest,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  const exchange = new HttpExchange(signal, state);
  connections.dispatch(
    {
      path: url.pathname + url.search,
      method,
      headers,
      body: body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    },
    exchange,
  );
  return exchange.answered.promise;
}

/** One request and its answer, as undici's handler and as what the caller holds. */
class HttpExchange implements Dispatcher.DispatchHandler, UpstreamAnswer {
  status = 0;
  headers: UpstreamAnswer["headers"] = {};
  /** Resolves at the answer's head. */
  readonly answered = Promise.withResolvers<UpstreamAnswer>();
  readonly #signal: AbortSignal;
  readonly #state: SendState | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #sink: BodySink | undefined;
  /** Chunks of this turn: a vendor's parts are often small, and read together. */
  #pieces: Buffer[] = [];
  #paused = false;
  #over: { readonly error?: Error } | undefined;

  constructor(signal: AbortSignal, state: SendState | undefined) {
    this.#signal = signal;
    this.#state = state;
    signal.addEventListener("abort", this);
  }

  /** The exchange is ended from outside. */
  handleEvent(): void {
    this.abort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.abort();
    else if (this.#state !== undefined) this.#state.isSent = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamAnswer["headers"]): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    controller.pause();
    this.answered.resolve(this);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#pieces.push(chunk) === 1) process.nextTick(HttpExchange.#passOn, this);
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish({ error });
    this.answered.reject(isRefusedWrite(error) ? new NothingSent(error) : error);
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
    if (this.#pieces.length > 0) process.nextTick(HttpExchange.#passOn, this);
    this.#controller?.resume();
  }

  abort(): void {
    this.#pieces = [];
    this.#controller?.abort(new Error("the exchange was ended by the gateway"));
  }

  #finish(over: { readonly error?: Error }): void {
    this.#signal.removeEventListener("abort", this);
    this.#paused = false;
    const refused = this.#handOn();
    this.#over = refused === undefined ? over : { error: refused };
    if (this.#sink !== undefined) this.#end(this.#sink, this.#over);
  }

  /** Hands on what has come; ends the exchange where that is not taken. */
  static #passOn(exchange: HttpExchange): void {
    const refused = exchange.#handOn();
    if (refused !== undefined) exchange.#controller?.abort(refused);
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
 * Returns whether the system refused the very write that hands a request over: it took none of it then. A write that it took
 * in part, or took and could not deliver, fails later, with the same code; only where the error was made sets them
 * apart. (Of TLS it does not: there nothing is sure, and nothing is sent again.)
 */
function isRefusedWrite(error: Error): boolean {
  return "syscall" in error && error.syscall === "write" && error.stack?.includes("afterWriteDispatched") === true;
}

/** Headers in which vendors give the id that their support asks for, of which each vendor has one. */
const idHeaders = [
  "request-id",
  "x-request-id",
  "apim-request-id",
  "x-ms-request-id",
  "x-amzn-requestid",
  "x-goog-request-id",
  "x-tt-logid",
  "x-trace-id",
];

/** The vendor's own id of an exchange; undefined where it gave none, or one that no log could hold. */
export function vendorRequestIdOf({ headers }: Pick<UpstreamAnswer, "headers">): string | undefined {
  const found = firstHeader(headers, idHeaders);
  return found !== undefined && isRequestId(found) ? found : undefined;
}
