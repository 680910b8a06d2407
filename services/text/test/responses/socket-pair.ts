import { once } from "node:events";
import { WebSocket, WebSocketServer } from "ws";

/** Opens a WebSocket. Returns its server side and its client side. */
export async function connection(): Promise<{ socket: WebSocket; client: WebSocket } & AsyncDisposable> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  const [[socket]] = await Promise.all([once(server, "connection"), once(client, "open")]);
  return {
    socket,
    client,
    [Symbol.asyncDispose]: async () => {
      client.terminate();
      server.close();
      await once(server, "close");
    },
  };
}
