import { Failure, firstHeader, headers } from "@modelgate/contracts";
import {
  acceptWebSockets,
  checkHandshake,
  Gauge,
  runOnSharedTick,
  restartFailure,
  type AcceptWebSocket,
  type Registry,
  type UpgradeCall,
} from "@modelgate/platform";
import type { ResponsesDeps } from "../deps.ts";
import { ResponseSocket } from "./response-socket.ts";

/** Maximum ms between two checks of the time limits of all connections. */
const maxTickMs = 1_000;
/** Minimum number of checks within the shortest of the time limits. */
const checksPerLimit = 4;

/** WebSockets for responses of this process. */
export class ResponseSockets implements Disposable {
  readonly #deps: ResponsesDeps;
  readonly #accept: AcceptWebSocket;
  readonly #open = new Set<ResponseSocket>();
  readonly #timer: Disposable;
  #isDraining = false;
  #drained: (() => void) | undefined;

  constructor(deps: ResponsesDeps, registry: Registry) {
    const { maxIdleMs, maxAgeMs } = deps.sockets;
    const sockets = this.#open;
    this.#deps = deps;
    deps.ending.addEventListener("abort", () => {
      for (const socket of sockets) socket.interrupt(restartFailure());
    });
    // No subprotocol is selected, because clients may send an API key as one of those that they offer.
    this.#accept = acceptWebSockets({ messageBytes: deps.body.maxBytes, chooseProtocol: () => false });
    const check = (): void => {
      const now = Date.now();
      for (const socket of sockets) socket.checkTimeLimits(now);
    };
    this.#timer = runOnSharedTick(
      Math.min(maxTickMs, Math.ceil(Math.min(maxIdleMs, maxAgeMs) / checksPerLimit)),
      check,
    );
    registry.registerMetric(
      new Gauge({
        name: "modelgate_response_sockets",
        help: "Open WebSockets for responses.",
        registers: [],
        collect() {
          this.set(sockets.size);
        },
      }),
    );
  }

  /** Opens a connection. Throws Failure if the handshake is refused. */
  async begin(upgrade: UpgradeCall): Promise<void> {
    if (this.#isDraining)
      throw new Failure("server_overloaded", "This gateway is shutting down; reconnect.", { retryAfterSeconds: 1 });
    if (this.#open.size >= this.#deps.sockets.maxSockets)
      throw new Failure("server_overloaded", "The gateway is at its limit of connections; try again shortly.");
    checkHandshake(upgrade.request);
    const { caller, request, requestId, span, socket } = upgrade;
    const client = this.#accept(upgrade);
    if (client === undefined) return;
    const refusesUnsupported = firstHeader(request.headers, [headers.strict]) === "true";
    const responseSocket = new ResponseSocket(this.#deps, { caller, requestId, span, refusesUnsupported }, client);
    this.#open.add(responseSocket);
    // When an edge stops, it ends its half of the connection. After the WebSocket's own `end` listener has run, nothing
    // can be sent, so this listener runs before it.
    socket.prependOnceListener("end", () => {
      if (client.readyState === client.OPEN) responseSocket.interrupt(restartFailure());
    });
    await Promise.resolve();
    void responseSocket.closed.then(() => {
      this.#open.delete(responseSocket);
      this.#checkDrained();
    });
  }

  /** Accepts no more connections. Resolves when all have been closed at the end of their running response. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    for (const socket of this.#open) socket.drain();
    this.#checkDrained();
    await promise;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #checkDrained(): void {
    if (this.#open.size === 0) this.#drained?.();
  }
}
