import { Failure } from "@modelgate/contracts";
import type { Duplex } from "node:stream";
import { lastWordsMs, type WebSocketPass } from "./web-socket-pass.ts";

/** The WebSockets that pass through, until an edge that goes has let all of them go. */
export class WebSockets {
  readonly #open = new Map<Duplex, WebSocketPass>();
  #state: "open" | "draining" | "ending" = "open";
  #drained: (() => void) | undefined;

  /** Throws Failure where no more are taken. */
  admit(): void {
    if (this.#state !== "open")
      throw new Failure("server_overloaded", "This gateway is shutting down; reconnect.", { retryAfterSeconds: 1 });
  }

  /** Keeps a WebSocket until its client's half is closed. */
  add(client: Duplex, pass: WebSocketPass): void {
    this.#open.set(client, pass);
    client.once("close", () => {
      this.#open.delete(client);
      if (this.#open.size === 0) this.#drained?.();
    });
    if (this.#state === "ending") pass.notifyGoing();
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
        for (const pass of this.#open.values()) pass.notifyGoing();
      },
      Math.max(0, withinMs - 2 * lastWordsMs),
    );
    await promise;
    clearTimeout(timer);
  }
}
