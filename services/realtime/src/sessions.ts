import type { SessionSettings } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { AttemptsFailed } from "@modelgate/channels";
import {
  acceptWebSockets,
  ClientGone,
  Gauge,
  idsOf,
  type AcceptWebSocket,
  type Registry,
  type UpgradeCall,
} from "@modelgate/platform";
import { priced, type HeldMoney } from "@modelgate/relay";
import { watchLeaving } from "./leaving.ts";
import { boundSettings } from "./client-secrets.ts";
import { connectVendor } from "./connect.ts";
import type { Deps } from "./deps.ts";
import type { SessionPrice } from "./hold-use.ts";
import { chooseProtocol, readHandshake, type Handshake } from "./handshake.ts";
import { Session } from "./session.ts";
import { sessionCall, type SessionCall } from "./session-call.ts";
import { holdFirst, ResponseMoney } from "./response-money.ts";
import { TranscriptMoney } from "./transcript-money.ts";

/** Longest pause between two looks at the limits of all sessions. */
const longestTickMs = 1_000;
/** Looks within the shortest of the limits. */
const looksPerLimit = 4;

/** A session that is about to begin. */
interface Starting extends Handshake {
  readonly call: SessionCall;
  readonly price: SessionPrice;
  /** What it begins with, where its key is bound to that. */
  readonly settings: SessionSettings | undefined;
  /** Money for its first response. */
  readonly first: HeldMoney;
}

/** All sessions of this process. */
export class Sessions implements Disposable {
  readonly #deps: Deps;
  readonly #accept: AcceptWebSocket;
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
    this.#accept = acceptWebSockets({ messageBytes, chooseProtocol });
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
      throw new Failure("server_overloaded", "This gateway is shutting down; reconnect.", { retryAfterSeconds: 1 });
    if (this.#open.size + this.#opening >= this.#deps.limits.sessions)
      throw new Failure("server_overloaded", "The gateway is at its limit of sessions; try again shortly.");
    const handshake = readHandshake(upgrade.request, upgrade.query);
    const call = sessionCall(upgrade);
    const settings = await boundSettings(this.#deps, call);
    const price = priceOf(this.#deps, call, handshake.model ?? settings?.model);
    this.#opening++;
    try {
      const first = await holdFirst(this.#deps, call, price);
      await this.#start(upgrade, { ...handshake, call, price, settings, first });
    } catch (error) {
      if (!(error instanceof AttemptsFailed)) throw error;
      const { failure, attempts } = error;
      this.#deps.relay.log.info({ ...idsOf(call), code: failure.code, attempts }, "session not opened");
      throw failure;
    } finally {
      this.#opening--;
      this.#checkDrained();
    }
  }

  /** Takes no more sessions; the open ones get their time, then are closed with 1001. */
  async drain(): Promise<void> {
    this.#state = "draining";
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    const alarm = setTimeout(() => {
      this.#state = "going";
      for (const session of this.#open) session.goAway();
    }, this.#deps.limits.drainMs);
    this.#checkDrained();
    await promise;
    clearTimeout(alarm);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #start(upgrade: UpgradeCall, { call, beta, price, settings, first }: Starting): Promise<void> {
    using opening = new DisposableStack();
    opening.use(first);
    const leaving = opening.use(watchLeaving(upgrade.socket));
    const sessionId = this.#deps.newSessionId();
    const connecting = { call, sessionId, callId: first.callId, model: price.model, beta, signal: leaving.signal };
    const attempted = await connectVendor(this.#deps, connecting);
    opening.use(attempted);
    const { accepted: vendor, way, tried } = attempted;
    leaving[Symbol.dispose]();
    const client = this.#accept(upgrade);
    if (client === undefined) {
      vendor.socket.terminate();
      throw new ClientGone("the client left before its session");
    }
    const sent = { way, tried };
    const session = new Session(this.#deps, {
      call,
      connection: upgrade.socket,
      sessionId,
      settings,
      client,
      vendor,
      responses: new ResponseMoney(this.#deps, { call, price, sent, first }),
      transcripts: new TranscriptMoney(this.#deps, call, sent),
      silenceMs: way.candidate.channel.timeoutMs,
      broke: (reason) => attempted.broke(reason),
    });
    opening.move();
    this.#keep(session, attempted);
  }

  #keep(session: Session, seat: Disposable): void {
    this.#open.add(session);
    void session.over.then(() => {
      seat[Symbol.dispose]();
      this.#open.delete(session);
      this.#checkDrained();
    });
    session.begin();
    if (this.#state === "going") session.goAway();
  }

  #checkDrained(): void {
    if (this.#open.size === 0 && this.#opening === 0) this.#drained?.();
  }
}

/** The model and what it costs this caller; without a name, the first that the caller may have sessions with. */
function priceOf({ relay }: Deps, { caller, endpoint }: SessionCall, name: string | undefined): SessionPrice {
  const catalog = relay.catalog.current();
  const kinds = endpoint.kinds ?? [];
  const wanted = name ?? catalog.modelsOf(caller).find(({ kind }) => kinds.includes(kind))?.name;
  if (wanted === undefined)
    throw new Failure("missing_required_parameter", "Missing required query parameter: model (?model=…).", {
      param: "model",
    });
  return priced(relay, { caller, endpoint }, wanted);
}
