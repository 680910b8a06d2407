import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Server as SocketServer, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { once } from "node:events";
import { endCall, restartFailure } from "./ending.ts";
import type { Logger } from "./log.ts";
import { answerMalformed } from "./malformed-request.ts";
import { countActive } from "./metrics.ts";
import { OpenList } from "./open-list.ts";
import { StartError } from "./start-error.ts";

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpServerOptions {
  readonly host: string;
  /** Port to listen on; 0 selects a free one. */
  readonly port: number;
  /** True if several processes listen on this port. */
  readonly isShared?: boolean;
  /** True if the metrics include this server's open requests. */
  readonly isCounted?: boolean;
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
  /** Maximum ms for which open requests may continue after `drain` is called. */
  readonly drainMs: number;
  /** Ends open calls when it is aborted, shortly before `drainMs` has passed. */
  readonly ending?: AbortSignal;
  /** Time in ms between the abort of `ending` and the end of `drainMs`. */
  readonly drainErrorMs?: number;
  /** Time in ms after which a connection is closed if its client does not read. */
  readonly stalledMs?: number;
  /** Log of malformed requests. */
  readonly log?: Logger;
}

/** A listening server. `drain` stops accepting connections, waits for open requests, and closes the server. */
export interface HttpServer {
  readonly port: number;
  drain(): Promise<void>;
}

const maxHeaderBytes = 32 * 1024;
const headersTimeoutMs = 30_000;
/**
 * Time in ms after which a connection is closed if its client does not read. Such a client occupies memory and a
 * channel's seats.
 */
const defaultStalledMs = 120_000;
/** Minimum speed at which a client must read. A client for which many bytes wait gets more time than `stalledMs`. */
const minBytesPerSecond = 50_000;
/**
 * Time in ms after which an idle connection is closed. It is longer than the 600 s after which the load balancers of
 * Google Cloud close one, because a request on a connection that was just closed is lost.
 */
const keepAliveMs = 620_000;
/**
 * Time in ms after which the header `keep-alive` tells clients to close an idle connection. Layer-4 load balancers and
 * NAT forget a connection after a few minutes.
 */
const announcedKeepAliveMs = 75_000;
/** Time in ms without data after which the operating system checks whether the client is still there. */
const probeMs = 60_000;

/**
 * Minimum time in ms for which a draining server still answers requests on idle connections. Otherwise clients would
 * get an error.
 */
const lastRequestsMs = 1_000;

/** Listens on a port. Throws StartError if the port is in use. Readers of request bodies set their own timeouts. */
export async function listen({
  host,
  port,
  isShared = false,
  isCounted = false,
  handler,
  upgrade,
  drainMs,
  drainErrorMs = 0,
  stalledMs = defaultStalledMs,
  ending,
  log,
}: HttpServerOptions): Promise<HttpServer> {
  const state = { draining: false, lastAt: 0 };
  const openResponses = new OpenList<OpenResponse>();
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: announcedKeepAliveMs,
    keepAliveTimeoutBuffer: keepAliveMs - announcedKeepAliveMs,
    keepAlive: true,
    keepAliveInitialDelay: probeMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0,
    noDelay: true,
    // Other upgrades (for example h2c) are handled as HTTP/1.1.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
      upgrade !== undefined && headers.upgrade?.toLowerCase() === "websocket",
  });
  server.on("request", trackResponses(openResponses, state, handler, isCounted));
  const upgraded = new Set<Duplex>();
  if (upgrade !== undefined) server.on("upgrade", trackUpgrades(upgraded, upgrade, isCounted));
  server.on("clientError", (error, socket) => refuseMalformed(error, socket, openResponses, log));
  ending?.addEventListener("abort", () => endOpenCalls(openResponses));
  const stalls = setInterval(closeStalled, stalledMs / 8, openResponses, stalledMs).unref();
  await startListening(server, { host, port, isShared });
  return {
    port: portOf(server),
    async drain() {
      state.draining = true;
      const closed = once(server, "close");
      // The HTTP server's own `close` would close idle connections immediately.
      SocketServer.prototype.close.call(server);
      const quietMs = Math.min(lastRequestsMs, drainMs);
      state.lastAt = performance.now();
      const idle = setInterval(() => {
        if (openResponses.size === 0 && performance.now() >= state.lastAt + quietMs) server.closeIdleConnections();
      }, quietMs / 4);
      // Ends calls that began after `ending` was aborted.
      const late = setTimeout(endOpenCalls, drainMs - drainErrorMs / 2, openResponses);
      // The server does not track upgraded connections, but `closed` waits for them.
      const timer = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }, drainMs);
      await closed;
      clearInterval(idle);
      clearInterval(stalls);
      clearTimeout(late);
      clearTimeout(timer);
    },
  };
}

interface OpenResponse {
  readonly response: ServerResponse;
  /** Bytes that the operating system had at the last check; -1 before the first check. */
  written: number;
  /** Time at which the client last read bytes, or no bytes waited for it. */
  movedAt: number;
}

function refuseMalformed(
  error: Error,
  socket: Duplex,
  openResponses: Iterable<OpenResponse>,
  log: Logger | undefined,
): void {
  // Bytes after a request must not become part of the answer to it.
  for (const { response } of openResponses)
    if (response.socket === socket && response.headersSent) return void socket.destroy();
  answerMalformed(error, socket, log);
}

function endOpenCalls(openResponses: Iterable<OpenResponse>): void {
  for (const { response } of openResponses) endCall(response, restartFailure());
}

function closeStalled(openResponses: Iterable<OpenResponse>, stalledMs: number): void {
  const now = performance.now();
  for (const each of openResponses) {
    const { socket } = each.response;
    if (socket === null) continue;
    const waiting = socket.writableLength;
    const written = socket.bytesWritten - waiting;
    if (waiting === 0 || written !== each.written) {
      each.written = written;
      each.movedAt = now;
    } else if (now - each.movedAt > stalledMs + (waiting * 1_000) / minBytesPerSecond) socket.destroy();
  }
}

function trackResponses(
  openResponses: OpenList<OpenResponse>,
  state: { readonly draining: boolean; lastAt: number },
  handler: RequestListener,
  isCounted: boolean,
): RequestListener {
  return (request, response) => {
    if (state.draining) response.setHeader("connection", "close");
    const listed = openResponses.add({ response, written: -1, movedAt: 0 });
    if (isCounted) countActive(1);
    response.on("close", () => {
      listed.remove();
      if (isCounted) countActive(-1);
      state.lastAt = performance.now();
    });
    handler(request, response);
  };
}

function trackUpgrades(upgraded: Set<Duplex>, upgrade: UpgradeHandler, isCounted: boolean): UpgradeHandler {
  return (request, socket, head) => {
    upgraded.add(socket);
    if (isCounted) countActive(1);
    socket.once("close", () => {
      upgraded.delete(socket);
      if (isCounted) countActive(-1);
    });
    upgrade(request, socket, head);
  };
}

async function startListening(
  server: Server,
  { host, port, isShared = false }: Pick<HttpServerOptions, "host" | "port" | "isShared">,
): Promise<void> {
  server.listen({ host, port, backlog: 4_096, reusePort: isShared });
  try {
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") throw new StartError(`Port ${port} on ${host} is in use: set another one.`, 1);
    throw error;
  }
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
