import type { IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { Failure, withoutUndefined } from "@modelgate/contracts";
import { WebSocket } from "ws";
import { checkAddress, vendorLookup } from "./blocked-address.ts";
import { connectThrough } from "./proxy.ts";
import type { ConnectOptions, BodySink, SocketAnswer, UpstreamAnswer, UpstreamRequest } from "./attempt-plan.ts";

/** Maximum time for a handshake. */
const handshakeMs = 15_000;

/** Opens a WebSocket to a vendor. Resolves with the paused socket, or with the vendor's HTTP answer if it refused. */
export async function connectSocket(
  { url, headers, timeoutMs, proxy }: UpstreamRequest,
  { maxMessageBytes }: ConnectOptions,
  signal: AbortSignal,
): Promise<SocketAnswer | RefusedSocket> {
  checkAddress(url);
  const { promise, resolve, reject } = Promise.withResolvers<SocketAnswer | RefusedSocket>();
  const maxHandshakeMs = Math.min(timeoutMs, handshakeMs);
  const socket = new WebSocket(url, {
    headers,
    handshakeTimeout: maxHandshakeMs,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    followRedirects: false,
    lookup: vendorLookup,
    ...withoutUndefined({
      createConnection: proxy === undefined ? undefined : openSocketVia(proxy, url, maxHandshakeMs),
    }),
  });
  const onAbort = (): void => socket.terminate();
  signal.addEventListener("abort", onAbort, { once: true });
  const removeListener = (): void => signal.removeEventListener("abort", onAbort);
  let answerHeaders: IncomingMessage["headers"] = {};
  socket.once("upgrade", (response: IncomingMessage) => (answerHeaders = response.headers));
  socket.once("open", () => {
    removeListener();
    socket.pause();
    resolve({ status: 101, headers: answerHeaders, socket, ...emptyBody(socket) });
  });
  socket.once("unexpected-response", (_request, response: IncomingMessage) => {
    removeListener();
    resolve(new RefusedSocket(response));
  });
  socket.on("error", (error: Error) => {
    removeListener();
    const hasTimedOut = /handshake has timed out/.test(error.message);
    reject(hasTimedOut ? new Failure("upstream_timeout", undefined, { cause: error }) : error);
  });
  if (signal.aborted) onAbort();
  return promise;
}

/** Returns a `createConnection` for `ws` that uses a proxy. */
function openSocketVia(proxy: string, { protocol, host, hostname, port }: URL, timeoutMs: number) {
  const connect = connectThrough(proxy, timeoutMs, { allowH2: false });
  const target = { protocol: protocol === "wss:" || protocol === "https:" ? "https:" : "http:", host, hostname, port };
  return (_: unknown, onSocket: (error: Error | null, socket: Duplex) => void): undefined => {
    // Node ignores the socket if there is an error.
    connect(target, (error, socket) => onSocket(error, socket ?? new Duplex()));
  };
}

function emptyBody(socket: WebSocket): Pick<UpstreamAnswer, "pipe" | "pause" | "resume" | "abort"> {
  return {
    pipe: (sink) => sink.end(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    abort: () => socket.terminate(),
  };
}

/** The HTTP answer of a vendor that refused a WebSocket handshake. */
export class RefusedSocket implements UpstreamAnswer {
  readonly status: number;
  readonly headers: UpstreamAnswer["headers"];
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.#response = response;
    // A status below 300 would look like a success.
    this.status = Math.max(response.statusCode ?? 502, 300);
    this.headers = response.headers;
  }

  pipe(sink: BodySink): void {
    this.#response
      .on("data", (chunk: Buffer) => sink.data(chunk))
      .once("end", () => sink.end())
      .once("error", (error) => sink.fail(error));
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  abort(): void {
    this.#response.destroy();
  }
}
