import { connect, type Socket } from "node:net";
import { startSocketServer } from "@modelgate/testkit";

/** Proxy to a vendor that delays the vendor's data. */
export interface SlowConnection extends AsyncDisposable {
  readonly url: string;
  connectTo(url: string): void;
  /** Stops all data in both directions without closing connections. */
  cutOff(): void;
}

/** Opens a proxy that delays the vendor's data by `delayMs`. */
export async function openSlowConnection(delayMs: number): Promise<SlowConnection> {
  const open = new Set<Socket>();
  let port = 0;
  const server = await startSocketServer((near) => {
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
  return {
    url: server.url,
    connectTo: (url) => (port = Number(new URL(url).port)),
    cutOff() {
      for (const socket of open) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
