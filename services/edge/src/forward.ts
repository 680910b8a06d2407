import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createProxyMiddleware, type Plugin, type RequestHandler } from "http-proxy-middleware";
import { Failure, headers, ownHeaderPrefix, type Area } from "@modelgate/contracts";
import { partingMs, refuseUpgrade, type Logger } from "@modelgate/platform";
import { exchangeOf } from "./exchange.ts";
import { away, HttpPass, type HttpTarget } from "./http-pass.ts";
import { PatientAgent } from "./patient-agent.ts";
import { WebSockets } from "./web-sockets.ts";

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

/** Passes a call to its area's service: nothing is read of a request, both directions stream, either side's end ends the other. */
export interface Forward extends Disposable {
  (request: IncomingMessage, response: ServerResponse): void;
  /** The same for a WebSocket. Throws Failure where no more are taken. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
  /**
   * Takes no more WebSockets, and notifies the services of calls that are still open towards the end of this time that the
   * edge ends: they end each in its wire's words, and book it as failed.
   */
  drain(withinMs: number): Promise<void>;
}

/** How the services are reached. */
export interface ForwardOptions {
  readonly urls: AreaUrls;
  readonly log: Logger;
  readonly silenceMs: number;
  readonly streamSilenceMs: number;
}

/** Opens the ways to the services. */
export function createForward({ urls, log, ...silence }: ForwardOptions): Forward {
  const agent = new PatientAgent({
    keepAlive: true,
    scheduling: "lifo",
    maxSockets: Infinity,
    maxFreeSockets: mostIdle,
  });
  const webSockets = new WebSockets();
  const open = new Set<HttpPass>();
  const ways = new Map<string, Way>();
  for (const [area, url] of Object.entries(urls)) {
    ways.set(area, {
      target: { url: new URL(url), agent, log, ...silence },
      proxy: createProxyMiddleware({
        target: url,
        agent,
        changeOrigin: false,
        xfwd: false,
        ejectPlugins: true,
        plugins: [failurePlugin(log), webSockets.plugin],
        proxyTimeout: silence.silenceMs,
      }),
    });
  }

  function wayFor(request: IncomingMessage): Way {
    const { endpoint } = exchangeOf(request);
    const way = endpoint === undefined ? undefined : ways.get(endpoint.area);
    if (way === undefined)
      throw new Failure("api_not_implemented", `This deployment runs no ${endpoint?.area ?? ""} service.`);
    return way;
  }

  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const { target } = wayFor(request);
    cleanHeaders(request);
    const pass = new HttpPass(target, request, response);
    open.add(pass);
    response.once("close", () => open.delete(pass));
  };
  return Object.assign(forward, {
    upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
      webSockets.admit();
      const { proxy } = wayFor(request);
      cleanHeaders(request);
      proxy.upgrade(request, socket, head);
    },
    async drain(withinMs: number) {
      // Their services are notified before this server ends by itself what is still open then.
      const timer = setTimeout(
        () => {
          for (const pass of open) pass.notifyGoing();
        },
        withinMs - 2 * partingMs(withinMs),
      );
      timer.unref();
      await webSockets.drain(withinMs);
    },
    [Symbol.dispose]: () => agent.destroy(),
  });
}

/** How an area's service is reached: for calls, and for WebSockets. */
interface Way {
  readonly target: HttpTarget;
  readonly proxy: RequestHandler;
}

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

/** The service of a WebSocket cannot be reached, or broke off: before the first byte an error can still be answered. */
function failurePlugin(log: Logger): Plugin {
  return (proxy) => {
    proxy.on("error", (_error, request, socket) => {
      if (request === undefined || !(socket instanceof Socket)) return;
      const { requestId, endpoint } = exchangeOf(request);
      log.warn({ requestId, path: endpoint?.path }, "service of a WebSocket lost");
      if (socket.destroyed || socket.bytesWritten > 0) socket.destroy();
      else refuseUpgrade(socket, "common", away(), requestId);
    });
  };
}
