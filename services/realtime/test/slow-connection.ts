import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Proxy to a vendor that delivers the vendor's data late, in order. */
export interface SlowConnection extends AsyncDisposable {
  readonly url: string;
  /** Sets the address to connect to. */
  connectTo(url: string): void;
  /** Stops all data in both directions without closing connections. */
  cutOff(): void;
}

/** Opens a proxy that delays the vendor's data by `delayMs`. */
export async function openSlowConnection(delayMs: number): Promise<SlowConnection> {
  const open = new Set<Socket>();
  let port = 0;
  const server = createServer((near) => {
    const far = connect({ port, host: "127.0.0.1" });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on("error", () => other.destroy()).on("close", () => open.delete(socket));
    }
    near.pipe(far);
    far.on("data", (bytes) => setTimeout(() => near.write(bytes), delayMs));
    far.on("end", () => setTimeout(() => near.end(), delayMs));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    connectTo: (url) => (port = Number(new URL(url).port)),
    cutOff() {
      for (const socket of open) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
