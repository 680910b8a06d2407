import type { SessionSettings } from "@modelgate/accounts";
import { asFailure, Failure } from "@modelgate/contracts";
import { AttemptsFailed } from "@modelgate/channels";
import {
  acceptWebSockets,
  checkHandshake,
  ClientDisconnected,
  Gauge,
  idsOf,
  runOnSharedTick,
  type AcceptWebSocket,
  type Registry,
  type UpgradeCall,
} from "@modelgate/platform";
import type { HeldMoney } from "@modelgate/relay";
import { maxStepBytes } from "@modelgate/formats/json";
import { parseEvent, type RealtimeMessage } from "@modelgate/wires/realtime";
import type { WebSocket } from "ws";
import { Charges } from "./charges.ts";
import { checkEvent } from "./check-event.ts";
import { withSecretSettings, withSessionType } from "./client-secrets.ts";
import { closeCodes, closeGracefully } from "./closing.ts";
import { connectVendor, closeUnused } from "./connect.ts";
import type { Deps } from "./deps.ts";
import { receiveEarly, watchDisconnect, type EarlyClient, type OpeningClient } from "./first-message.ts";
import { findSessionPrice, initialUseOutcome, type SessionPrice } from "./hold-use.ts";
import { chooseProtocol, readHandshake, type Handshake } from "./handshake.ts";
import { Session } from "./session.ts";
import { toSessionCall, type RealtimeCall } from "./session-call.ts";
import type { SessionCharges } from "./session-charges.ts";
import { realtimeFormat, type SessionFormat, type SetupFormat } from "./session-format.ts";
import { holdFirstSlice, ResponseMoney } from "./response-money.ts";
import { holdFirstSeconds, TimeCharges, type TimeChargesParts } from "./time-charges.ts";
import { TranscriptMoney } from "./transcript-money.ts";

/** Maximum pause, in ms, between two checks of the limits of all sessions. */
const maxTickMs = 1_000;
/** Minimum number of checks within the shortest of the time limits. */
const checksPerLimit = 4;

/** Values of a session that is about to start. */
interface SessionStart extends Pick<Handshake, "isBeta"> {
  readonly call: RealtimeCall;
  readonly format: SessionFormat;
  readonly price: SessionPrice;
  /** Initial settings that the key is bound to; undefined for a normal API key. */
  readonly settings: SessionSettings | undefined;
  /** Message that named the model, if the format has one. */
  readonly setup?: RealtimeMessage;
  /** Reservation for the first response, or for the first seconds of a timed format. */
  readonly first: HeldMoney;
}

/** Client that is connected and has not sent its first message. */
interface SetupStart {
  readonly call: RealtimeCall;
  readonly format: SetupFormat;
  readonly early: EarlyClient;
}

/** All sessions of this process. */
export class RealtimeSessions implements Disposable {
  readonly #deps: Deps;
  readonly #accept: AcceptWebSocket;
  readonly #open = new Set<Session>();
  /** Clients whose first message, which names the model, is still missing. */
  readonly #awaitingSetup = new Set<WebSocket>();
  readonly #timer: Disposable;
  #opening = 0;
  #isDraining = false;
  /** Called when the last session has ended. */
  #drained: (() => void) | undefined;

  constructor(deps: Deps, registry: Registry) {
    const { messageBytes, pingMs, idleMs, longestMs, stallMs } = deps.limits;
    const openSessions = this.#open;
    this.#deps = deps;
    deps.ending.addEventListener("abort", () => {
      for (const session of openSessions) session.goAway();
    });
    this.#accept = acceptWebSockets({ messageBytes, chooseProtocol });
    const tickMs = Math.ceil(Math.min(pingMs, idleMs, longestMs, stallMs) / checksPerLimit);
    this.#timer = runOnSharedTick(Math.min(maxTickMs, tickMs), () => {
      const now = Date.now();
      for (const session of openSessions) session.tick(now);
    });
    registry.registerMetric(
      new Gauge({
        name: "modelgate_realtime_sessions",
        help: "Open realtime sessions.",
        registers: [],
        collect() {
          this.set(openSessions.size);
        },
      }),
    );
  }

  /** Opens a session of the realtime format. All refusals precede the protocol switch. Throws Failure. */
  async begin(upgrade: UpgradeCall): Promise<void> {
    this.#requireCapacity();
    const handshake = readHandshake(upgrade.request, upgrade.query);
    const { call, settings } = await withSecretSettings(this.#deps, toSessionCall(upgrade));
    const price = findSessionPrice(this.#deps, call, handshake.model ?? settings?.model);
    await this.#countWhileOpening(call, async () => {
      const first = await holdFirstSlice(this.#deps, call, price);
      const typed = settings && withSessionType(settings, handshake);
      const starting = { ...handshake, call, format: realtimeFormat, price, settings: typed, first };
      await this.#start(upgrade, starting, this.#clientBeforeSwitch(upgrade));
    });
  }

  /** Opens a session of a format whose first message names the model. Throws Failure before the protocol switch. */
  async beginWithSetup(upgrade: UpgradeCall, format: SetupFormat): Promise<void> {
    this.#requireCapacity();
    checkHandshake(upgrade.request);
    const call = toSessionCall(upgrade);
    if (call.caller.settingsId !== undefined)
      throw new Failure("invalid_api_key", "A client secret opens sessions of the realtime format: use the API key.");
    const socket = this.#accept(upgrade);
    if (socket === undefined) return;
    this.#awaitingSetup.add(socket);
    socket.once("close", () => this.#awaitingSetup.delete(socket));
    using early = receiveEarly(socket, format.setupName, this.#deps.limits);
    try {
      await this.#countWhileOpening(call, () => this.#startAfterSetup(upgrade, { call, format, early }));
    } catch (error) {
      if (error instanceof ClientDisconnected) return;
      const failure = asFailure(error);
      if (failure.code === "internal_error")
        this.#deps.relay.log.error({ ...idsOf(call), err: failure.cause }, "session not opened");
      const { code, reason } = format.convertEnding(format.endingByRefusal(failure));
      const causedBy = eventIdOf(early.messages[0]);
      for (const { data } of format.renderFailure(failure, `event_${this.#deps.newSessionId()}`, causedBy))
        socket.send(data, { binary: false });
      closeGracefully(socket, code, reason);
    }
  }

  async #startAfterSetup(upgrade: UpgradeCall, { call, format, early }: SetupStart): Promise<void> {
    const setup = await early.firstMessage();
    await checkEvent(setup.data, format, this.#deps);
    const price = findSessionPrice(this.#deps, call, format.modelOf(setup));
    const holdFirst = format.isTimed ? holdFirstSeconds : holdFirstSlice;
    const first = await holdFirst(this.#deps, call, price);
    await this.#start(upgrade, { call, isBeta: false, format, price, settings: undefined, setup, first }, early);
  }

  /** Returns a client whose protocol switch is answered when its socket is opened. */
  #clientBeforeSwitch(upgrade: UpgradeCall): OpeningClient {
    const watch = watchDisconnect(upgrade.socket);
    return {
      signal: watch.signal,
      openSocket: () => {
        watch[Symbol.dispose]();
        const socket = this.#accept(upgrade);
        if (socket === undefined) throw new ClientDisconnected("the client disconnected before the session");
        return { socket };
      },
      [Symbol.dispose]: () => watch[Symbol.dispose](),
    };
  }

  #requireCapacity(): void {
    if (this.#isDraining)
      throw new Failure("server_overloaded", "This gateway is shutting down; reconnect.", { retryAfterSeconds: 1 });
    if (this.#open.size + this.#opening >= this.#deps.limits.maxSessions)
      throw new Failure("server_overloaded", "The gateway is at its limit of sessions; try again shortly.");
  }

  /** Runs `open`, and counts its session against the limit meanwhile. Throws Failure. */
  async #countWhileOpening(call: RealtimeCall, open: () => Promise<void>): Promise<void> {
    this.#opening++;
    try {
      await open();
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

  /** Accepts no more sessions, and announces the shutdown. Resolves when the last session has ended. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    for (const session of this.#open) session.announceShutdown(this.#deps.limits.drainMs);
    // Clients whose session has not started lose nothing if they are closed at once.
    for (const socket of this.#awaitingSetup)
      closeGracefully(socket, closeCodes.goingAway, "the gateway is shutting down; reconnect");
    this.#checkDrained();
    await promise;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  async #start(
    upgrade: UpgradeCall,
    { call, isBeta, format, price, settings, setup, first }: SessionStart,
    client: OpeningClient,
  ): Promise<void> {
    using opening = new DisposableStack();
    opening.use(first);
    opening.use(client);
    const sessionId = this.#deps.newSessionId();
    const { signal } = client;
    const connecting = { call, sessionId, callId: first.callId, model: price.model, isBeta, format, setup, signal };
    const attempted = await connectVendor(this.#deps, connecting);
    opening.use(attempted);
    const { accepted: vendor, route, tried } = attempted;
    const { socket, early } = openSocketOrUndo(client, () => closeUnused(vendor));
    this.#awaitingSetup.delete(socket);
    const initialOutcome = { ...initialUseOutcome, route, tried };
    const session = new Session(this.#deps, {
      call,
      connection: upgrade.socket,
      sessionId,
      settings,
      client: socket,
      format,
      // The message that started the session at the vendor is not sent again.
      early: vendor.bridge.start === undefined ? early : early?.slice(1),
      vendor,
      charges: (charged) =>
        this.#chargesOf(format, { call, price, initialOutcome, first, bridge: vendor.bridge, session: charged }),
      silenceMs: route.candidate.channel.timeoutMs,
      onVendorLost: (reason) => attempted.reportInterruption(reason),
      seat: attempted,
    });
    opening.move();
    this.#track(session);
  }

  #chargesOf({ isTimed }: SessionFormat, parts: TimeChargesParts): SessionCharges {
    if (isTimed) return new TimeCharges(this.#deps, parts);
    const { call, initialOutcome, bridge, session } = parts;
    const responses = new ResponseMoney(this.#deps, parts);
    return new Charges(this.#deps, {
      call,
      responses,
      transcripts: new TranscriptMoney(this.#deps, call, initialOutcome),
      bridge,
      session,
    });
  }

  #track(session: Session): void {
    this.#open.add(session);
    void session.ended.then(() => {
      this.#open.delete(session);
      this.#checkDrained();
    });
    session.begin();
    if (this.#deps.ending.aborted) session.goAway();
  }

  #checkDrained(): void {
    if (this.#open.size === 0 && this.#opening === 0) this.#drained?.();
  }
}

function openSocketOrUndo(client: OpeningClient, undo: () => void): ReturnType<OpeningClient["openSocket"]> {
  try {
    return client.openSocket();
  } catch (error) {
    undo();
    throw error;
  }
}

/** Returns the `event_id` of a client's event; undefined for a large event, because parsing it would take too long. */
function eventIdOf(message: RealtimeMessage | undefined): string | undefined {
  const id =
    message === undefined || message.data.length > maxStepBytes ? undefined : parseEvent(message.data)?.["event_id"];
  return typeof id === "string" ? id : undefined;
}
