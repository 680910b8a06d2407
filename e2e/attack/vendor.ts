import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { listen } from "@modelgate/testkit";

export interface VendorRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request. An exception closes the connection. */
export type Handler = (request: VendorRequest, response: ServerResponse) => void | Promise<void>;
/** Answers with raw bytes, after a request has begun to arrive. */
export type RawHandler = (socket: Socket) => void;
export type SocketHandler = (socket: WebSocket) => void;

/** Test servers in the role of vendors. Each attack sets their answers. The path `/<name>/…` selects the vendor. */
export interface HostileVendors extends AsyncDisposable {
  readonly url: string;
  /** Address of vendors that answer with raw bytes. */
  readonly rawUrl: string;
  answer(name: string, handler: Handler): void;
  answerRaw(name: string, handler: RawHandler): void;
  answerSocket(name: string, handler: SocketHandler): void;
  requests(name: string): readonly VendorRequest[];
}

/** Maximum stored requests per vendor, and stored bytes of each body. */
const [rememberedRequests, rememberedBytes] = [5_000, 256 * 1024];

class RequestMemory {
  readonly #requests = new Map<string, VendorRequest[]>();

  add(name: string, request: VendorRequest): void {
    const requests = this.#requests.get(name) ?? [];
    this.#requests.set(name, requests);
    requests.push(request);
    if (requests.length > rememberedRequests) requests.shift();
  }

  of(name: string): readonly VendorRequest[] {
    return this.#requests.get(name) ?? [];
  }
}

/** Reads a request to its end, and passes the stored part of its body to `then`. */
function readBeginning(request: IncomingMessage, then: (body: string) => void): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  request
    .on("data", (piece: Buffer) => {
      if (bytes < rememberedBytes) pieces.push(piece);
      bytes += piece.length;
    })
    .on("end", () => then(Buffer.concat(pieces).toString()));
}

export async function startHostileVendors(): Promise<HostileVendors> {
  const handlers = new Map<string, Handler>();
  const rawHandlers = new Map<string, RawHandler>();
  const socketHandlers = new Map<string, SocketHandler>();
  const memory = new RequestMemory();
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    const name = nameIn(request.url);
    response.on("error", () => undefined);
    readBeginning(request, (body) => {
      const received = { path: request.url ?? "", headers: request.headers, body };
      memory.add(name, received);
      void Promise.resolve(handlers.get(name)?.(received, response)).catch(() => response.destroy());
    });
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    const name = nameIn(request.url);
    memory.add(name, { path: request.url ?? "", headers: request.headers, body: "" });
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.on("error", () => undefined);
      socketHandlers.get(name)?.(client);
    });
  });
  const raw = createTcpServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.once("data", (first: Buffer) => {
      const [line = ""] = first.toString("latin1").split("\r\n");
      const path = line.split(" ")[1] ?? "";
      memory.add(nameIn(path), { path, headers: {}, body: first.toString("latin1") });
      rawHandlers.get(nameIn(path))?.(socket);
    });
  });
  return {
    url: await listen(server),
    rawUrl: await listen(raw),
    answer: (name, handler) => handlers.set(name, handler),
    answerRaw: (name, handler) => rawHandlers.set(name, handler),
    answerSocket: (name, handler) => socketHandlers.set(name, handler),
    requests: (name) => memory.of(name),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      for (const client of sockets.clients) client.terminate();
      raw.close();
      server.close();
      server.closeAllConnections();
      await Promise.all([once(server, "close"), once(raw, "close")]);
    },
  };
}

function nameIn(path: string | undefined): string {
  return path?.split("/")[1]?.split("?")[0] ?? "";
}

/** Sends a value as JSON. */
export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
