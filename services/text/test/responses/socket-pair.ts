import { once } from "node:events";
import { startWebSocketServer } from "@modelgate/testkit";
import { WebSocket } from "ws";

export async function connection(): Promise<{ socket: WebSocket; client: WebSocket } & AsyncDisposable> {
  const server = await startWebSocketServer();
  const client = new WebSocket(server.url);
  const [[socket]] = await Promise.all([once(server.sockets, "connection"), once(client, "open")]);
  return {
    socket,
    client,
    [Symbol.asyncDispose]: async () => {
      client.terminate();
      await server[Symbol.asyncDispose]();
    },
  };
}
