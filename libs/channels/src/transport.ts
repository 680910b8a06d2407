import { firstHeader } from "@modelgate/contracts";
import { isRequestId } from "@modelgate/platform";
import { Pool, type Dispatcher } from "undici";
import { checkAddress, vendorLookup } from "./blocked-address.ts";
import { connectThrough } from "./proxy.ts";
import type { BodySink, SendState, UpstreamAnswer, UpstreamRequest } from "./attempt-plan.ts";

/** HTTP client for requests to vendors, with one pool of connections per address and proxy. */
export interface Transport extends AsyncDisposable {
  /** Sends a request. Resolves with the head of the answer. The signal can end the exchange at any time. */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer>;
}

/** Maximum time that a connection is idle. It is short so that the vendor rarely closes a connection first. */
const keepAliveMs = 4_000;
const connectMs = 10_000;
/** Maximum pools. If there are more, the least recently used one is closed after its running requests. */
const maxPools = 256;

export function openTransport(): Transport {
  const pools = new Map<string, Pool>();

  function poolOf(origin: string, proxy: string | undefined): Pool {
    const name = proxy === undefined ? origin : `${origin} ${proxy}`;
    const existing = pools.get(name);
    if (existing !== undefined) {
      // Moving an entry at each request is expensive: the map often rebuilds its tables. Entries are therefore moved
      // only in a map that is more than half full.
      if (pools.size <= maxPools / 2) return existing;
      // The first entry of the map is the least recently used one.
      pools.delete(name);
      pools.set(name, existing);
      return existing;
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
      connect: proxy === undefined ? { timeout: connectMs, lookup: vendorLookup } : connectThrough(proxy, connectMs),
    });
    pools.set(name, pool);
    return pool;
  }

  return {
    async send(request, signal) {
      const pool = poolOf(request.url.origin, request.proxy);
      try {
        return await dispatchOn(pool, request, signal);
      } catch (error) {
        // The vendor may have closed an idle connection. If no byte of the request was sent, it is sent once more on
        // another connection. Other requests are not repeated here, because the vendor may have received them.
        // A stream may have been partly read, so it cannot be sent again.
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

/** Error of a connection that was closed before the operating system accepted the first byte of a request. */
export class NothingSent extends Error {
  override readonly name = "NothingSent";
  readonly code = "NOTHING_SENT";
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Sends a request once. Rejects if there is no answer. */
export function dispatchOn(
  connections: Dispatcher,
  { url, method, headers, body, timeoutMs, state }: Omit<UpstreamRequest, "proxy">,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  const answering = Promise.withResolvers<UpstreamAnswer>();
  connections.dispatch(
    {
      path: url.pathname + url.search,
      method,
      headers,
      body: body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    },
    new HttpExchange(signal, state, answering),
  );
  return answering.promise;
}

/** One request and its answer. It is both undici's handler and the caller's `UpstreamAnswer`. */
class HttpExchange implements Dispatcher.DispatchHandler, UpstreamAnswer {
  status = 0;
  headers: UpstreamAnswer["headers"] = {};
  readonly #signal: AbortSignal;
  readonly #state: SendState | undefined;
  /** Undefined after the answer has begun. */
  #answering: PromiseWithResolvers<UpstreamAnswer> | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #sink: BodySink | undefined;
  /** Chunks of this turn of the event loop. They are joined, because a vendor's chunks are often small. */
  #pieces: Buffer[] = [];
  #paused = false;
  #outcome: { readonly error?: Error } | undefined;

  constructor(signal: AbortSignal, state: SendState | undefined, answering: PromiseWithResolvers<UpstreamAnswer>) {
    this.#answering = answering;
    this.#signal = signal;
    this.#state = state;
    signal.addEventListener("abort", this);
  }

  /** Ends the exchange when its signal aborts. */
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
    controller.rawHeaders = null; // one buffer for each name and value, which a long stream would keep
    this.#answering?.resolve(this);
    this.#answering = undefined;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#pieces.push(chunk) === 1) process.nextTick(HttpExchange.#passChunksOrAbort, this);
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish({ error });
    this.#answering?.reject(isRefusedWrite(error) ? new NothingSent(error) : error);
  }

  pipe(sink: BodySink): void {
    this.#sink = sink;
    if (this.#outcome === undefined) this.#controller?.resume();
    else if (this.#outcome.error === undefined) sink.end();
    else sink.fail(this.#outcome.error);
  }

  pause(): void {
    this.#paused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#pieces.length > 0) process.nextTick(HttpExchange.#passChunksOrAbort, this);
    this.#controller?.resume();
  }

  abort(): void {
    this.#pieces = [];
    const ended = new Error("the exchange was ended by the gateway");
    // undici cannot end a request while it connects, so onRequestStart ends it later. The caller gets the error now.
    if (this.#controller === undefined) this.#answering?.reject(ended);
    else this.#controller.abort(ended);
  }

  #finish(outcome: { readonly error?: Error }): void {
    this.#signal.removeEventListener("abort", this);
    this.#paused = false;
    const sinkError = this.#passChunks();
    this.#outcome = sinkError === undefined ? outcome : { error: sinkError };
    if (this.#sink !== undefined) this.pipe(this.#sink);
  }

  static #passChunksOrAbort(exchange: HttpExchange): void {
    const sinkError = exchange.#passChunks();
    if (sinkError !== undefined) exchange.#controller?.abort(sinkError);
  }

  /** Passes the collected chunks to the sink, unless it is paused. Returns the exception that the sink threw. */
  #passChunks(): Error | undefined {
    const [first] = this.#pieces;
    if (first === undefined || this.#paused) return undefined;
    const chunk = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    try {
      this.#sink?.data(chunk);
      return undefined;
    } catch (error) {
      // undici does not catch exceptions here, because this runs outside its parser.
      return error instanceof Error ? error : new Error("an answer was not consumed", { cause: error });
    }
  }
}

/**
 * Returns true if the operating system refused the write, so that no byte was sent. A write that fails later has the
 * same code, but another stack trace. With TLS this cannot be seen, so the result is false.
 */
function isRefusedWrite(error: Error): boolean {
  return "syscall" in error && error.syscall === "write" && error.stack?.includes("afterWriteDispatched") === true;
}

/** Headers in which vendors return their id of a request. */
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

/** Returns the vendor's id of an exchange; undefined if it is absent or not safe to log. */
export function vendorRequestIdOf({ headers }: Pick<UpstreamAnswer, "headers">): string | undefined {
  const header = firstHeader(headers, idHeaders);
  return header !== undefined && isRequestId(header) ? header : undefined;
}
