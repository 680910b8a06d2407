import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to a server whose answers can be made late, whose requests can be lost, and that can lead elsewhere. */
export interface SlowWay extends AsyncDisposable {
  readonly port: number;
  /** Delay of answers from now on, ms. */
  delayMs: number;
  /** True if what clients send from now on is lost: nothing of it arrives, until they connect anew. */
  losesRequests: boolean;
  /** Holds answers back on the connections that are open: what is requested is done, and its answer does not arrive. */
  holdAnswers(isHeld: boolean): void;
  /** Leads to another port of this machine from now on; who is connected has to connect again. */
  leadTo(port: number): void;
}

/** Opens a way to a server of this machine. */
export async function openSlowWay(firstPort: number): Promise<SlowWay> {
  let targetPort = firstPort;
  const open = new Set<Socket>();
  const targets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    targets.add(target);
    target.on("close", () => targets.delete(target));
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
    client.on("data", (piece) => {
      if (!way.losesRequests) target.write(piece);
    });
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
    losesRequests: false,
    holdAnswers(isHeld) {
      for (const target of targets) {
        if (isHeld) target.pause();
        else target.resume();
      }
    },
    leadTo(port) {
      targetPort = port;
      for (const socket of open) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return way;
}
