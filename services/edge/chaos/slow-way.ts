import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to a server whose answers can be made late. */
export interface SlowWay extends AsyncDisposable {
  readonly port: number;
  /** How much later answers arrive from now on, in ms. */
  delayMs: number;
}

/** Opens a way to a server of this machine. */
export async function openSlowWay(targetPort: number): Promise<SlowWay> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    for (const socket of [client, target]) {
      open.add(socket);
      socket
        .on("error", () => undefined)
        .on("close", () => {
          open.delete(socket);
          client.destroy();
          target.destroy();
        });
    }
    client.pipe(target);
    let freeAt = 0;
    target.on("data", (piece) => {
      // Never before what came before it: bytes are late, not in another order.
      freeAt = Math.max(freeAt, performance.now() + way.delayMs);
      const wait = freeAt - performance.now();
      if (wait <= 0) client.write(piece);
      else setTimeout(() => client.write(piece), Math.ceil(wait));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const way: SlowWay = {
    port: typeof address === "object" && address !== null ? address.port : 0,
    delayMs: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return way;
}
