import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Server as SocketServer, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { once } from "node:events";
import { endCall, restarting } from "./ending.ts";
import { countActive } from "./metrics.ts";
import { OpenList } from "./open-list.ts";
import { StartError } from "./start-error.ts";

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpServerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** True if other processes listen on the same port. */
  readonly isShared?: boolean;
  /** True if the metrics count the open requests. */
  readonly isCounted?: boolean;
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
  /** Maximum ms that open requests get after `drain`; then their connections are closed. */
  readonly drainMs: number;
  /** Aborted shortly before that; ends open calls. */
  readonly ending?: AbortSignal;
  /** Ms between the abort of `ending` and the end of the drain. */
  readonly farewellMs?: number;
}

/** A listening server; `drain` accepts no more work, waits for open requests, and closes. */
export interface HttpServer {
  readonly port: number;
  drain(): Promise<void>;
}

/** Maximum bytes of a request's head; keys, tracing and cookies need far less. */
const maxHeaderBytes = 32 * 1024;
/** Maximum ms to wait for a request's head. */
const headersTimeoutMs = 30_000;
/**
 * Idle ms after which a connection is closed; longer than the edge's 60 s, so that none is closed while a request is
 * being sent.
 */
const keepAliveMs = 75_000;

/**
 * Ms for which a draining server serves kept connections after its last request, one more answer each, with
 * `connection: close`. Without it a client that reuses a connection would get an error.
 */
const lastRequestsMs = 1_000;

/** Listens on a port. Throws StartError if it is in use. Bodies are timed by their readers. */
export async function listen({
  host,
  port,
  isShared = false,
  isCounted = false,
  handler,
  upgrade,
  drainMs,
  farewellMs = 0,
  ending,
}: HttpServerOptions): Promise<HttpServer> {
  const state = { draining: false, lastAt: 0 };
  const open = new OpenList<ServerResponse>();
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0,
    noDelay: true,
    // A request for another protocol than WebSocket (h2c) may continue in HTTP/1.1.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
      upgrade !== undefined && headers.upgrade?.toLowerCase() === "websocket",
  });
  server.on("request", noteOpen(open, state, handler, isCounted));
  const upgraded = new Set<Duplex>();
  if (upgrade !== undefined) server.on("upgrade", noteThen(upgraded, upgrade, isCounted));
  server.on("clientError", answerMalformed);
  ending?.addEventListener("abort", () => endAll(open));
  await started(server, { host, port, isShared });
  return {
    port: portOf(server),
    async drain() {
      state.draining = true;
      const closed = once(server, "close");
      // The server's `close` would close kept connections immediately.
      SocketServer.prototype.close.call(server);
      const quietMs = Math.min(lastRequestsMs, drainMs);
      state.lastAt = performance.now();
      const idle = setInterval(() => {
        if (open.size === 0 && performance.now() >= state.lastAt + quietMs) server.closeIdleConnections();
      }, quietMs / 4);
      const late = setTimeout(endAll, drainMs - farewellMs / 2, open); // calls that began after `ending` was aborted
      // The server does not track upgraded connections, but its close waits for them.
      const timer = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }, drainMs);
      await closed;
      clearInterval(idle);
      clearTimeout(late);
      clearTimeout(timer);
    },
  };
}

function endAll(open: Iterable<ServerResponse>): void {
  for (const response of open) endCall(response, restarting());
}

/** Records an answer while it is open, and passes the request on. */
function noteOpen(
  open: OpenList<ServerResponse>,
  state: { readonly draining: boolean; lastAt: number },
  handler: RequestListener,
  isCounted: boolean,
): RequestListener {
  return (request, response) => {
    if (state.draining) response.setHeader("connection", "close");
    const listed = open.add(response);
    if (isCounted) countActive(1);
    response.once("close", () => {
      listed.remove();
      if (isCounted) countActive(-1);
      state.lastAt = performance.now();
    });
    handler(request, response);
  };
}

/** Records a connection while it is open, and passes the upgrade on. */
function noteThen(upgraded: Set<Duplex>, upgrade: UpgradeHandler, isCounted: boolean): UpgradeHandler {
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

async function started(
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

const malformations: Readonly<Record<string, readonly [status: string, code: string, message: string]>> & {
  readonly other: readonly [string, string, string];
} = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    "request_too_large",
    "The request's headers are too large.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "request_timeout", "The request's head did not arrive in time."],
  other: ["400 Bad Request", "invalid_request", "This is not a well-formed HTTP request."],
};

/** Answers a malformed request with 400 before the connection is closed. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, code, message] = malformations[error.code ?? ""] ?? malformations.other;
  const body = JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
