import type { Duplex } from "node:stream";
import type { Plugin } from "http-proxy-middleware";
import { Failure } from "@modelgate/contracts";

/** How long what was written may still take to arrive. */
const lastWordsMs = 2_000;

/**
 * The WebSockets that pass through: bytes, of which nothing is read. So the edge cannot say good-bye in them itself; it
 * ends its half towards a service, which speaks the protocol, and the service says it.
 */
export class WebSockets {
  /** Each client's half, and its service's once that is there. */
  readonly #open = new Map<Duplex, Duplex | undefined>();
  #state: "open" | "draining" | "ending" = "open";
  #drained: (() => void) | undefined;

  /** A WebSocket's two halves end together, however one of them ends, also while it is being opened. */
  readonly plugin: Plugin = (proxy) => {
    proxy.on("proxyReqWs", (asked, _request, client) => {
      const leave = (): void => void asked.destroy();
      // It may have left while it was let in: its end is not signalled again.
      if (client.destroyed) return leave();
      this.#open.set(client, undefined);
      client.once("close", leave).once("close", () => this.#left(client));
      asked.once("upgrade", (_response, service) => {
        client.off("close", leave).once("close", () => endSoon(service));
        service.once("close", () => endSoon(client));
        if (client.destroyed) {
          service.destroy();
          return;
        }
        this.#open.set(client, service);
        if (this.#state === "ending") endService(client, service);
      });
    });
  };

  /** Throws Failure where no more are taken. */
  admit(): void {
    if (this.#state !== "open")
      throw new Failure("server_overloaded", "This gateway is going away; connect again.", { retryAfterSeconds: 1 });
  }

  /** Takes no more; the open ones get their time, then are closed by their services. Resolves when all have. */
  async drain(withinMs: number): Promise<void> {
    this.#state = "draining";
    if (this.#open.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    const timer = setTimeout(
      () => {
        this.#state = "ending";
        for (const [client, service] of this.#open) if (service !== undefined) endService(client, service);
      },
      Math.max(0, withinMs - 2 * lastWordsMs),
    );
    await promise;
    clearTimeout(timer);
  }

  #left(client: Duplex): void {
    this.#open.delete(client);
    if (this.#open.size === 0) this.#drained?.();
  }
}

/** Ends the service's half; what the client still says has nowhere to go. */
function endService(client: Duplex, service: Duplex): void {
  client.unpipe(service).resume();
  endSoon(service);
}

/** What was written may still arrive; who does not take it is not waited for. */
function endSoon(socket: Duplex): void {
  if (socket.destroyed) return;
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lastWordsMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
