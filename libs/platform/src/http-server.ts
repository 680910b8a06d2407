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
  /** 0 takes a free one. */
  readonly port: number;
  /** True if other processes listen on the same port. */
  readonly isShared?: boolean;
  /** True if the metrics count what is open. */
  readonly isCounted?: boolean;
  readonly handler: RequestListener;
  readonly upgrade?: UpgradeHandler | undefined;
  /** Time that open requests may go on after `drain`; then their connections are cut. */
  readonly drainMs: number;
  /** Aborted shortly before that: ends open calls. */
  readonly ending?: AbortSignal;
  /** Time from then on. */
  readonly farewellMs?: number;
}

/** A server that listens; `drain` takes no more work, lets what is open finish in time, and closes. */
export interface HttpServer {
  readonly port: number;
  drain(): Promise<void>;
}

/** Maximum size of a request's head; keys, tracing and cookies need far less. */
const maxHeaderBytes = 32 * 1024;
/** Maximum wait for a request's head. */
const headersTimeoutMs = 30_000;
/** Idle connections are kept longer than the edge keeps its own (60 s), so that none is closed under a request. */
const keepAliveMs = 75_000;

/**
 * Time that a draining server still serves kept connections after its last request, each for one more answer with
 * `connection: close`: its client cannot know, and a request on a closed connection would fail.
 */
const lastRequestsMs = 1_000;

/** Listens on a port; throws StartError if it is in use. Bodies are timed by their readers. */
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
    // What asks for another protocol than a WebSocket (h2c) may go on in HTTP/1.1, and does.
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
      // The server's own `close` would end kept connections at once.
      SocketServer.prototype.close.call(server);
      const quietMs = Math.min(lastRequestsMs, drainMs);
      state.lastAt = performance.now();
      const idle = setInterval(() => {
        if (open.size === 0 && performance.now() >= state.lastAt + quietMs) server.closeIdleConnections();
      }, quietMs / 4);
      const late = setTimeout(endAll, drainMs - farewellMs / 2, open); // those that came after `ending`
      // The server forgets a connection that was upgraded, and yet waits for its end.
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

/** Remembers an answer while it is open, and hands it on. */
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

/** Remembers a connection while it is open, and hands it on. */
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

/** Answers a malformed request with 400 instead of a broken connection. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, code, message] = malformations[error.code ?? ""] ?? malformations.other;
  const body = JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
