import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createProxyMiddleware, type Plugin, type RequestHandler } from "http-proxy-middleware";
import { Failure, headers, ownHeaderPrefix, type Area } from "@modelgate/contracts";
import { answerFailure, lingerOver, notePassing, refuseUpgrade, type Logger } from "@modelgate/platform";
import { exchangeOf } from "./exchange.ts";
import { PatientAgent } from "./patient-agent.ts";
import { lastWordsMs, WebSockets } from "./web-sockets.ts";

/** Addresses of the services, by area. */
export type AreaUrls = Readonly<Partial<Record<Area, string>>>;

/** Headers that a client may not set for the services: what is ours, and what proxies before us would have said. */
const notForwarded = new Set([
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "forwarded",
  "cookie",
  "proxy-authorization",
  "expect",
]);

/** Most idle connections kept to the services. */
const mostIdle = 1_024;

/** Proxies a call to its area's service: nothing is read, both directions stream, either side's end ends the other. */
export interface Forward extends Disposable {
  (request: IncomingMessage, response: ServerResponse): void;
  /** The same for a WebSocket. Throws Failure where no more are taken. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /** Takes no more WebSockets, and has the open ones told to go so that they have gone within this time. */
  drain(withinMs: number): Promise<void>;
}

/** Opens the ways to the services. */
export function createForward({ urls, log, silenceMs }: { urls: AreaUrls; log: Logger; silenceMs: number }): Forward {
  const agent = new PatientAgent({
    keepAlive: true,
    scheduling: "lifo",
    maxSockets: Infinity,
    maxFreeSockets: mostIdle,
  });
  const webSockets = new WebSockets();
  const proxies = new Map<string, RequestHandler>();
  for (const [area, target] of Object.entries(urls)) {
    proxies.set(
      area,
      createProxyMiddleware({
        target,
        agent,
        changeOrigin: false,
        xfwd: false,
        ejectPlugins: true,
        plugins: [failurePlugin(log), passingPlugin, connectionPlugin, webSockets.plugin],
        proxyTimeout: silenceMs,
      }),
    );
  }

  function proxyFor(request: IncomingMessage): RequestHandler {
    const { endpoint } = exchangeOf(request);
    const proxy = endpoint === undefined ? undefined : proxies.get(endpoint.area);
    if (proxy === undefined)
      throw new Failure("api_not_implemented", `This deployment runs no ${endpoint?.area ?? ""} service.`);
    return proxy;
  }

  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const proxy = proxyFor(request);
    cleanHeaders(request);
    // The service's connection is the edge's own. One that the client's `close` ended while a refused body is still on its
    // way would take the refusal with it.
    request.headers.connection = "keep-alive";
    void proxy(request, response, () => undefined);
  };
  return Object.assign(forward, {
    upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
      webSockets.admit();
      const proxy = proxyFor(request);
      cleanHeaders(request);
      proxy.upgrade(request, socket, head);
    },
    drain: (withinMs: number) => webSockets.drain(withinMs),
    [Symbol.dispose]: () => agent.destroy(),
  });
}

/** Bodies from this size on, or of no told size, leave garbage that counts. */
const largeBytes = 4 * 1024 * 1024;

function isLarge({ headers: { "content-length": length, "transfer-encoding": encoding } }: IncomingMessage): boolean {
  return encoding !== undefined || Number(length ?? 0) > largeBytes;
}

/** Counts what passes of large bodies; by then they are on their way, so that nobody misses their beginning. */
const passingPlugin: Plugin = (proxy) => {
  proxy.on("proxyReq", (_, request) => {
    if (isLarge(request)) request.on("data", (chunk: Buffer) => notePassing(chunk.length));
  });
};

/** A service speaks of its own connection; what the edge says of its client's stands: `close` while it drains. */
const connectionPlugin: Plugin = (proxy) => {
  proxy.on("proxyRes", (answer, _, response) => {
    const own = response.getHeader("connection") ?? (response.shouldKeepAlive ? "keep-alive" : "close");
    answer.headers.connection = String(own).toLowerCase() === "close" ? "close" : "keep-alive";
  });
};

/** Drops what a client may not say, and writes what the edge says: the id, the path without its key. */
function cleanHeaders(request: IncomingMessage): void {
  const exchange = exchangeOf(request);
  const caller = request.headers[headers.caller];
  const strict = request.headers[headers.strict];
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith(ownHeaderPrefix) || notForwarded.has(name)) delete request.headers[name];
  }
  if (caller !== undefined) request.headers[headers.caller] = caller;
  if (strict !== undefined) request.headers[headers.strict] = strict;
  request.headers[headers.requestId] = exchange.requestId;
  const traceparent = exchange.span?.traceparent;
  if (traceparent === undefined) delete request.headers[headers.traceparent];
  else request.headers[headers.traceparent] = traceparent;
  const query = exchange.query.size === 0 ? "" : `?${exchange.query.toString()}`;
  request.url = exchange.path + query;
}

/** A service that cannot be reached is told in the request's own format; after the head the connection is cut. */
function failurePlugin(log: Logger): Plugin {
  return (proxy) => {
    proxy.on("error", (error, request, target) => {
      if (target === undefined || request === undefined) return;
      if (target instanceof Socket) return refuseSocket(log, request, target);
      // A request that was read to its end counts as destroyed: only its connection says whether its client is there.
      if (!("writeHead" in target) || target.destroyed || request.socket.destroyed) return void target.destroy();
      if (target.headersSent) return letFinish(request, target);
      const exchange = exchangeOf(request);
      log.warn({ err: error, requestId: exchange.requestId, path: exchange.endpoint?.path }, "service not reached");
      lingerOver(request);
      answerFailure(target, exchange.format, serviceAway(), exchange.requestId);
    });
  };
}

/** The service of a WebSocket cannot be reached, or broke off: before the first byte that can still be told. */
function refuseSocket(log: Logger, request: IncomingMessage, socket: Socket): void {
  const { requestId, endpoint } = exchangeOf(request);
  log.warn({ requestId, path: endpoint?.path }, "service of a WebSocket lost");
  if (socket.destroyed || socket.bytesWritten > 0) return void socket.destroy();
  refuseUpgrade(socket, "common", serviceAway(), requestId);
}

/** A service that refuses an upload half way closes it: its answer is whole or on its way, and must not be lost. */
function letFinish(request: IncomingMessage, response: ServerResponse): void {
  lingerOver(request);
  if (response.writableEnded) return;
  const timer = setTimeout(() => response.destroy(), lastWordsMs);
  timer.unref();
  response.once("close", () => clearTimeout(timer)).once("finish", () => clearTimeout(timer));
}

function serviceAway(): Failure {
  return new Failure("server_overloaded", "The service behind this endpoint is away; try again shortly.", {
    retryAfterSeconds: 1,
  });
}
