import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createSocketServer, type Server, type Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { WebSocketServer, type WebSocket } from "ws";

/** Server of a test on a free port of this machine. Disposal also ends its connections. */
export interface TestServer<S extends Server = Server> extends AsyncDisposable {
  readonly server: S;
  readonly url: string;
  readonly port: number;
}

/** Lets a server listen on a free port of this machine. Returns its URL. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1", 4_096);
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

export function startHttpServer(listener?: RequestListener, tls?: TlsOptions): Promise<TestServer<HttpServer>> {
  return tls === undefined
    ? startOnFreePort(createHttpServer(listener), "http")
    : startOnFreePort(createHttpsServer(tls, listener), "https");
}

/** Starts a server of TCP connections. Errors of the connections are ignored. */
export function startSocketServer(
  connected: (socket: Socket) => void = () => undefined,
  scheme = "http",
): Promise<TestServer> {
  return startOnFreePort(
    createSocketServer((socket) => connected(socket.on("error", () => undefined))),
    scheme,
  );
}

export interface WebSocketTestServer extends TestServer<HttpServer> {
  readonly sockets: WebSocketServer;
}

/** Starts a server that accepts every WebSocket. */
export async function startWebSocketServer(connected?: (socket: WebSocket) => void): Promise<WebSocketTestServer> {
  const http = await startHttpServer();
  const sockets = new WebSocketServer({ server: http.server });
  if (connected !== undefined) sockets.on("connection", connected);
  return { ...http, sockets };
}

async function startOnFreePort<S extends Server>(server: S, scheme: string): Promise<TestServer<S>> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const url = await listen(server);
  return {
    server,
    url: url.replace("http", scheme),
    port: Number(new URL(url).port),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      // A test may have closed the server itself.
      if (server.listening) await new Promise((closed) => server.close(closed));
    },
  };
}
