import { Agent, type AgentOptions, type ClientRequestArgs } from "node:http";
import type { Duplex } from "node:stream";

/** Time in ms for which a refused connection is retried, and the pause between two attempts. */
const [refusedForMs, pauseMs] = [1_000, 50];
/** Maximum ms to connect: longer than the 5 s after which a DNS resolver repeats a query. */
const connectMs = 10_000;
/**
 * Maximum idle time in ms of a connection. It is shorter than that of a service, so no service closes a connection on
 * which the edge just sends a request.
 */
const idleMs = 60_000;
/**
 * Average maximum age in ms of a connection that is used again. New replicas of a service get calls only over new
 * connections, because Kubernetes balances connections, not calls.
 */
const ageMs = 30_000;

interface RetryingAgentOptions extends AgentOptions {
  readonly maxConnectMs?: number;
  readonly maxAgeMs?: number;
}

/**
 * Agent for connections to the services. A refused connection is retried, because another replica may answer at the
 * address. After a connection was open, nothing is retried, because the service may have received the request.
 */
export class RetryingAgent extends Agent {
  readonly #connectMs: number;
  readonly #ageMs: number;
  readonly #usableUntil = new WeakMap<Duplex, number>();

  constructor({ maxConnectMs = connectMs, maxAgeMs = ageMs, ...options }: RetryingAgentOptions) {
    super({ timeout: idleMs, ...options });
    this.#connectMs = maxConnectMs;
    this.#ageMs = maxAgeMs;
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
        // Connections that were opened together must not end together.
        this.#usableUntil.set(socket, performance.now() + this.#ageMs * (0.5 + Math.random()));
        onResult?.(null, socket);
      });
    };
    attempt();
    return undefined;
  }

  /** Returns false if a connection must not be used again. */
  override keepSocketAlive(socket: Duplex): boolean {
    if (performance.now() >= (this.#usableUntil.get(socket) ?? 0)) return false;
    const isKept: unknown = super.keepSocketAlive(socket); // @types/node declares void
    return isKept === true;
  }
}
