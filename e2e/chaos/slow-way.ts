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
    // One after the other: bytes are late, never in another order.
    let written = Promise.resolve();
    target.on("data", (piece) => {
      const due = performance.now() + way.delayMs;
      written = written.then(async () => {
        const wait = due - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        client.write(piece);
      });
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
