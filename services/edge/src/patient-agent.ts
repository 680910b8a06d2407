import { Agent, type ClientRequestArgs } from "node:http";
import type { Duplex } from "node:stream";

/** How long a connection that is refused is tried again, and the pause between the tries. */
const [refusedForMs, pauseMs] = [1_000, 50];

/**
 * Connections to the services. One that is refused is tried again for a moment: nothing was sent, and a replica that
 * has just gone leaves its address to others. A connection that was made is never made again: what was sent on it
 * may have been heard.
 */
export class PatientAgent extends Agent {
  override createConnection(
    options: ClientRequestArgs,
    made?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const giveUpAt = performance.now() + refusedForMs;
    const attempt = (): void => {
      const socket = super.createConnection(options);
      if (!socket) return;
      const failed = (error: NodeJS.ErrnoException): void => {
        if (error.code === "ECONNREFUSED" && performance.now() < giveUpAt) setTimeout(attempt, pauseMs);
        else made?.(error, socket);
      };
      socket.once("error", failed).once("connect", () => {
        socket.off("error", failed);
        made?.(null, socket);
      });
    };
    attempt();
    return undefined;
  }
}
