import { createServer } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { listen, until } from "@modelgate/testkit";

/** Vendor of sessions that sends only what the test sends. */
export interface HeldVendor extends Disposable {
  readonly url: string;
  /** Waits until an event of a type has arrived. */
  next(type: string): Promise<unknown>;
  /** Sends an event to the newest session. */
  send(event: object): void;
}

/** Starts the vendor on a free port. */
export async function startHeldVendor(): Promise<HeldVendor> {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  const arrived: string[] = [];
  let newest: WebSocket | undefined;
  server.on("connection", (socket) => {
    newest = socket;
    socket.on("message", (data: Buffer) => arrived.push(JSON.parse(data.toString()).type));
  });
  const url = await listen(http);
  return {
    url,
    next: (type) => until(`${type} to arrive`, () => arrived.includes(type)),
    send: (event) => newest?.send(JSON.stringify(event)),
    [Symbol.dispose]() {
      for (const socket of server.clients) socket.terminate();
      server.close();
      http.close();
    },
  };
}
