import { Agent, type AgentOptions, type ClientRequestArgs } from "node:http";
import type { Duplex } from "node:stream";

/** How long a connection that is refused is tried again, and the pause between the tries. */
const [refusedForMs, pauseMs] = [1_000, 50];
/**
 * Longest wait for a connection: the machine of a service that is gone answers nothing at all. Longer than a resolver
 * takes to ask a second time (5 s).
 */
const connectMs = 10_000;

/**
 * Longest that a connection is kept idle: shorter than a service keeps it (75 s, platform's http-server), so that none is
 * closed under a request. Node's own agent heeds a server's word for it only where it has a time of its own.
 */
const idleMs = 60_000;

/** An agent's options, and how long a connection may take. */
export interface PatientAgentOptions extends AgentOptions {
  readonly longestConnectMs?: number;
}

/**
 * Connections to the services. One that is refused is tried again for a moment: nothing was sent, and a replica that
 * has just gone leaves its address to others. A connection that was made is never made again: what was sent on it
 * may have been heard, and only the client knows whether it may be repeated. To have few such cases, idle
 * connections are given up before their service would close them.
 */
export class PatientAgent extends Agent {
  readonly #connectMs: number;

  constructor({ longestConnectMs = connectMs, ...options }: PatientAgentOptions) {
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
