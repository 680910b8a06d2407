import { Failure, headers } from "@modelgate/contracts";
import { AttemptsFailed } from "@modelgate/channels";
import { ClientGone, Gauge, type Registry, type UpgradeCall } from "@modelgate/platform";
import { priced } from "@modelgate/relay";
import { WebSocketServer, type WebSocket } from "ws";
import { watchLeaving, type Leaving } from "./leaving.ts";
import { connectVendor } from "./connect.ts";
import type { Deps } from "./deps.ts";
import { Holds, type SessionPrice } from "./holds.ts";
import { chooseProtocol, readHandshake, type Handshake } from "./handshake.ts";
import { Session } from "./session.ts";
import { sessionCall, type SessionCall } from "./session-call.ts";
import { SessionBill } from "./session-bill.ts";
import { TranscriptBill } from "./transcript-bill.ts";

/** Longest pause between two looks at the limits of all sessions. */
const longestTickMs = 1_000;
/** Looks within the shortest of the limits. */
const looksPerLimit = 4;

/** A session that is about to begin. */
interface Starting extends Handshake {
  readonly call: SessionCall;
  readonly bill: SessionBill;
  readonly holds: Holds;
}

/** All sessions of this process. */
export class Sessions implements Disposable {
  readonly #deps: Deps;
  readonly #server: WebSocketServer;
  readonly #open = new Set<Session>();
  readonly #timer: NodeJS.Timeout;
  #opening = 0;
  #state: "open" | "draining" | "going" = "open";
  /** Called when the last session has ended. */
  #drained: (() => void) | undefined;

  constructor(deps: Deps, registry: Registry) {
    const { messageBytes, pingMs, idleMs, longestMs, stallMs } = deps.limits;
    const open = this.#open;
    this.#deps = deps;
    this.#server = openServer(messageBytes);
    const tickMs = Math.ceil(Math.min(pingMs, idleMs, longestMs, stallMs) / looksPerLimit);
    this.#timer = setInterval(
      () => {
        const now = Date.now();
        for (const session of open) session.tick(now);
      },
      Math.min(longestTickMs, tickMs),
    );
    this.#timer.unref();
    registry.registerMetric(
      new Gauge({
        name: "modelgate_realtime_sessions",
        help: "open sessions",
        registers: [],
        collect() {
          this.set(open.size);
        },
      }),
    );
  }

  /** Opens a session: everything that can be refused is refused before the protocol is switched. Throws Failure. */
  async begin(upgrade: UpgradeCall): Promise<void> {
    if (this.#state !== "open")
      throw new Failure("server_overloaded", "This gateway is going away; connect again.", { retryAfterSeconds: 1 });
    if (this.#open.size + this.#opening >= this.#deps.limits.sessions)
      throw new Failure("server_overloaded", "The gateway holds as many sessions as it may; try again shortly.");
    const handshake = readHandshake(upgrade.request, upgrade.query);
    const call = sessionCall(upgrade);
    const holds = new Holds(this.#deps, call);
    const bill = new SessionBill(this.#deps, call, priceOf(this.#deps, call, handshake.model), holds);
    this.#opening++;
    try {
      await bill.hold();
      await this.#start(upgrade, { ...handshake, call, bill, holds });
    } catch (error) {
      await bill.letGo();
      if (!(error instanceof AttemptsFailed)) throw error;
      const { failure, attempts } = error;
      this.#deps.relay.log.info({ requestId: call.requestId, code: failure.code, attempts }, "session not opened");
      throw failure;
    } finally {
      this.#opening--;
      this.#tellDrained();
    }
  }

  /** Takes no more sessions; the open ones get their time, then are told to come back elsewhere. */
  async drain(): Promise<void> {
    this.#state = "draining";
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    const alarm = setTimeout(() => {
      this.#state = "going";
      for (const session of this.#open) session.goAway();
    }, this.#deps.limits.drainMs);
    this.#tellDrained();
    await promise;
    clearTimeout(alarm);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #start(upgrade: UpgradeCall, { call, beta, bill, holds }: Starting): Promise<void> {
    const sessionId = this.#deps.newSessionId();
    using leaving = watchLeaving(upgrade.socket);
    const { callId } = bill;
    const { model } = bill.price;
    const attempted = await connectVendor(this.#deps, { call, sessionId, callId, model, beta, signal: leaving.signal });
    holds.went(attempted.way, attempted.tried);
    bill.went(attempted.way, attempted.tried);
    const client = switchProtocol(this.#server, upgrade, leaving);
    if (client === undefined) {
      attempted.accepted.socket.terminate();
      attempted[Symbol.dispose]();
      throw new ClientGone("the client left before its session");
    }
    const { accepted: vendor } = attempted;
    const { timeoutMs: silenceMs } = attempted.way.candidate.channel;
    const broke = (reason: string): void => attempted.broke(reason);
    const { socket: connection } = upgrade;
    const transcriptBill = new TranscriptBill(this.#deps, call, holds);
    const parts = { call, connection, sessionId, client, vendor, bill, transcriptBill, silenceMs, broke };
    this.#keep(new Session(this.#deps, parts), attempted);
  }

  #keep(session: Session, seat: Disposable): void {
    this.#open.add(session);
    void session.over.then(() => {
      seat[Symbol.dispose]();
      this.#open.delete(session);
      this.#tellDrained();
    });
    session.begin();
    if (this.#state === "going") session.goAway();
  }

  #tellDrained(): void {
    if (this.#open.size === 0 && this.#opening === 0) this.#drained?.();
  }
}

/** The protocol's server side: no compression, whole messages within their bound, one Buffer each. */
function openServer(messageBytes: number): WebSocketServer {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: messageBytes,
    handleProtocols: chooseProtocol,
  });
  server.on("headers", (lines, request) => {
    const id = request.headers[headers.requestId];
    if (typeof id === "string") lines.push(`${headers.requestId}: ${id}`);
  });
  return server;
}

/** Answers 101; undefined where the client has left. */
function switchProtocol(
  server: WebSocketServer,
  { request, socket, head }: UpgradeCall,
  leaving: Leaving,
): WebSocket | undefined {
  leaving[Symbol.dispose]();
  let switched: WebSocket | undefined;
  server.handleUpgrade(request, socket, head, (client) => {
    switched = client;
  });
  return switched;
}

/** The model and what it costs this caller; without a name, the first that the caller may have sessions with. */
function priceOf({ relay }: Deps, { caller, endpoint }: SessionCall, name: string | undefined): SessionPrice {
  const catalog = relay.catalog.current();
  const kinds = endpoint.kinds ?? [];
  const wanted = name ?? catalog.modelsOf(caller).find(({ kind }) => kinds.includes(kind))?.name;
  if (wanted === undefined)
    throw new Failure("missing_required_parameter", "Name a model: ?model=…", { param: "model" });
  return priced(relay, { caller, endpoint }, wanted);
}
