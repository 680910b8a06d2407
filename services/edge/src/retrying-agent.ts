import { Agent, type AgentOptions, type ClientRequestArgs } from "node:http";
import type { Duplex } from "node:stream";

/** Time in ms for which a refused connection is retried, and the pause between two attempts. */
const [refusedForMs, pauseMs] = [1_000, 50];
/** Maximum ms to connect: longer than the 5 s after which a DNS resolver repeats a query. */
const connectMs = 10_000;
/**
 * Maximum idle time in ms of a connection. It is shorter than the 75 s of a service, so no service closes a connection
 * on which the edge just sends a request.
 */
const idleMs = 60_000;

/**
 * Agent for connections to the services. A refused connection is retried, because another replica may answer at the
 * address. After a connection was open, nothing is retried, because the service may have received the request.
 */
export class RetryingAgent extends Agent {
  readonly #connectMs: number;

  constructor({ maxConnectMs = connectMs, ...options }: AgentOptions & { readonly maxConnectMs?: number }) {
    super({ timeout: idleMs, ...options });
    this.#connectMs = maxConnectMs;
  }

  override createConnection(
    options: ClientRequestArgs,
    onResult?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const giveUpAt = performance.now() + refusedForMs;
    const attempt = (): void => {
      const socket = super.createConnection(options);
      if (!socket) return;
      const timer = setTimeout(() => socket.destroy(new Error("no connection in time")), this.#connectMs);
      const failed = (error: NodeJS.ErrnoException): void => {
        clearTimeout(timer);
        if (error.code === "ECONNREFUSED" && performance.now() < giveUpAt) setTimeout(attempt, pauseMs);
        else onResult?.(error, socket);
      };
      socket.once("error", failed).once("connect", () => {
        clearTimeout(timer);
        socket.off("error", failed);
        onResult?.(null, socket);
      });
    };
    attempt();
    return undefined;
  }
}
