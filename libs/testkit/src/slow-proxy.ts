import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Proxy that can delay answers, drop requests, and switch to another server. */
export interface SlowProxy extends AsyncDisposable {
  readonly port: number;
  /** Delay of the server's answers, in ms. */
  delayMs: number;
  /** Text from which on chunks of a client's connection are dropped. If undefined, everything is forwarded. */
  losesFrom: string | undefined;
  /** Holds back the answers of the open connections, or also those of new ones. The server still executes requests. */
  holdAnswers(connections: "none" | "open" | "all"): void;
  /** Switches to another port of this machine, and closes all connections. */
  switchTo(port: number): void;
}

/** Opens a proxy to a port of this machine. */
export async function openSlowProxy(firstPort: number): Promise<SlowProxy> {
  let targetPort = firstPort;
  const sockets = new Set<Socket>();
  const targets = new Set<Socket>();
  let isNewHeld = false;
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    targets.add(target);
    target.on("close", () => targets.delete(target));
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(socket);
          client.destroy();
          target.destroy();
        });
    }
    // A connection stays cut off, because the server would read the rest of a message as a new one.
    let isLost = false;
    client.on("data", (piece) => {
      isLost ||= proxy.losesFrom !== undefined && piece.includes(proxy.losesFrom);
      if (!isLost) target.write(piece);
    });
    // Sequential, so that delayed bytes stay in order.
    let written = Promise.resolve();
    target.on("data", (piece) => {
      const due = performance.now() + proxy.delayMs;
      written = written.then(async () => {
        const wait = due - performance.now();
        if (wait > 0) await pause(wait);
        client.write(piece);
      });
    });
    if (isNewHeld) target.pause();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const proxy: SlowProxy = {
    port: typeof address === "object" && address !== null ? address.port : 0,
    delayMs: 0,
    losesFrom: undefined,
    holdAnswers(connections) {
      isNewHeld = connections === "all";
      for (const target of targets) {
        if (connections === "none") target.resume();
        else target.pause();
      }
    },
    switchTo(port) {
      targetPort = port;
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}
