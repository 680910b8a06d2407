import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A long way to a vendor: what it says arrives late, in its order. */
export interface FarVendor extends AsyncDisposable {
  readonly url: string;
  /** The simulator's address, once it is known. */
  at(url: string): void;
  /** Silently lets nothing through any more, either way. */
  cutOff(): void;
}

/** Opens a way on which every word of the vendor's takes so long. */
export async function openFarVendor(delayMs: number): Promise<FarVendor> {
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
    at: (url) => (port = Number(new URL(url).port)),
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
