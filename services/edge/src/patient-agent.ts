import { Agent, type AgentOptions, type ClientRequestArgs } from "node:http";
import type { Duplex } from "node:stream";

/** Time for which a refused connection is retried, and the pause between two attempts. */
const [refusedForMs, pauseMs] = [1_000, 50];
/** Longest wait for a connection, as a dead machine answers nothing; longer than a resolver's second query takes (5 s). */
const connectMs = 10_000;
/** Longest idle time of a connection: shorter than a service's (75 s, platform's http-server), which would close it under a request. */
const idleMs = 60_000;

/**
 * Connections to the services. One that is refused is retried for a moment: nothing was sent, and a replica that has just
 * ended leaves its address to others. One that was open is not: its service may have received the request, and only the
 * client knows whether that may be repeated.
 */
export class PatientAgent extends Agent {
  readonly #connectMs: number;

  constructor({ longestConnectMs = connectMs, ...options }: AgentOptions & { readonly longestConnectMs?: number }) {
    super({ timeout: idleMs, ...options });
    this.#connectMs = longestConnectMs;
  }

  override createConnection(
    options: ClientRequestArgs,
    made?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const giveUpAt = performance.now() + refusedForMs;
    const attempt = (): void => {
      const socket = super.createConnection(options);
      if (!socket) return;
      const late = setTimeout(() => socket.destroy(new Error("no connection in time")), this.#connectMs);
      const failed = (error: NodeJS.ErrnoException): void => {
        clearTimeout(late);
        if (error.code === "ECONNREFUSED" && performance.now() < giveUpAt) setTimeout(attempt, pauseMs);
        else made?.(error, socket);
      };
      socket.once("error", failed).once("connect", () => {
        clearTimeout(late);
        socket.off("error", failed);
        made?.(null, socket);
      });
    };
    attempt();
    return undefined;
  }
}
