import { idsOf, recordRefusal } from "@modelgate/platform";
import type { Duplex } from "node:stream";
import { asFailure, Failure } from "@modelgate/contracts";
import {
  eventMessage,
  eventType,
  inspectEvent,
  parseEvent,
  type BridgedMessages,
  type ClientEvent,
  type RealtimeMessage,
} from "@modelgate/wires/realtime";
import type { WebSocket } from "ws";
import { checkEvent } from "./check-event.ts";
import { withoutSecrets, closeCodes, endingByClient, endingByVendor, type SessionEnding } from "./closing.ts";
import type { VendorConnection } from "./connect.ts";
import type { Deps } from "./deps.ts";
import { EventQueue } from "./event-queue.ts";
import { SessionClock } from "./session-clock.ts";
import type { SessionFormat } from "./session-format.ts";
import { Side } from "./side.ts";
import type { RealtimeCall } from "./session-call.ts";
import type { ChargedSession, SessionCharges } from "./session-charges.ts";

/** Connections, reservations and settings of a session. */
export interface SessionParts {
  readonly call: RealtimeCall;
  /** Connection under the client's WebSocket. */
  readonly connection: Duplex;
  readonly sessionId: string;
  /** Initial settings, applied like the client's first `session.update`. */
  readonly settings?: object | undefined;
  readonly client: WebSocket;
  /** Format of the client's messages. */
  readonly format: SessionFormat;
  /** Messages that the client sent while the session was being opened. */
  readonly early?: readonly RealtimeMessage[] | undefined;
  readonly vendor: VendorConnection;
  readonly charges: (session: ChargedSession) => SessionCharges;
  /** Maximum silence of the vendor while a response is running, in ms. */
  readonly silenceMs: number;
  /** Called when the vendor's connection broke. */
  readonly onVendorLost: (reason: string) => void;
  /** Seat of the vendor's channel. The session releases it when it closes the vendor's side. */
  readonly seat: Disposable;
}

/** One session: its two sides, the bridge between them, and its charges. It ends exactly once. */
export class Session {
  /** Resolves when both sides are closed and all usage is settled. */
  readonly ended: Promise<void>;
  readonly #deps: Deps;
  readonly #parts: SessionParts;
  readonly #client: Side;
  readonly #vendor: Side;
  readonly #charges: SessionCharges;
  readonly #queue: EventQueue;
  readonly #resolve: () => void;
  readonly #clock: SessionClock;
  #errors = 0;
  #vendorFailed = false;
  #ended = false;
  /** Ending for a client that has disconnected; undefined while it is connected. */
  #clientEnding: SessionEnding | undefined;

  constructor(deps: Deps, parts: SessionParts) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#deps = deps;
    this.#parts = parts;
    const { limits } = deps;
    this.#clock = new SessionClock(limits, parts.silenceMs);
    this.#client = new Side(parts.client, limits, {
      message: (message) => this.#safely(() => this.#fromClient(message)),
      closed: (code, reason) => this.#clientClosed(code, reason),
      drained: () => this.#resumeVendor(),
      check: (data) => checkEvent(data, parts.format, deps),
      refused: (error) => this.#refuse(asFailure(error)),
    });
    this.#vendor = new Side(parts.vendor.socket, limits, {
      message: (message) => this.#safely(() => this.#fromVendor(message)),
      closed: (code, reason) => this.#vendorClosed(code, reason),
      drained: () => this.#client.resume("slow"),
    });
    this.#charges = parts.charges({
      sendToVendor: (message) => this.#vendor.send(message),
      resumeEvents: () =>
        this.#safely(() => {
          this.#queue.sendReady();
          this.#endIfLeft();
        }),
      reportPaymentDelay: (failure) => this.#sendError(failure),
      endUnpaid: (error) => this.#endUnpaid(error),
    });
    this.#queue = new EventQueue(limits, {
      countEvent: (event) => this.#charges.countEvent?.(event),
      maySend: (event) => this.#charges.maySend(event),
      deliver: (event) => this.#deliver(event),
      refuse: (event, failure) => this.#refuse(failure, parseEvent(event.message.data)?.["event_id"]),
      fullChanged: (isFull) => (isFull ? this.#client.pause("queue") : this.#client.resume("queue")),
    });
  }

  /** Starts to pass messages between the two sides. */
  begin(): void {
    const { socket, bridge, firstMessages: first } = this.#parts.vendor;
    const { connection, client } = this.#parts;
    // A stopping edge ends its half of the connection and no longer reads. This listener must run before the socket's
    // listener, after which nothing can be sent.
    connection.prependOnceListener("end", () => {
      if (client.readyState === client.OPEN) this.goAway();
    });
    this.#forward(bridge.open());
    this.#vendor.replay(first.splice(0));
    const { settings, early = [] } = this.#parts;
    // The client may have disconnected while the vendor started the session. The account pays for the session,
    // so it is ended like any other.
    if (client.readyState !== client.OPEN) this.#clientClosed(1006, "");
    else {
      if (settings !== undefined) this.#fromClient(eventMessage({ type: "session.update", session: settings }));
      this.#client.replay(early);
    }
    socket.resume();
    // The vendor may have disconnected since its first message.
    if (socket.readyState !== socket.OPEN) this.#vendorClosed(1006, "");
  }

  /** Enforces the time limits of the session. Called periodically. */
  tick(now: number): void {
    if (this.#ended) return;
    const failure = this.#clock.expiryFailure(now);
    if (failure !== undefined) return this.#end({ code: closeCodes.normal, reason: failure.code, failure });
    if (this.#clock.isVendorSilent(now) && !this.#client.isFull)
      return this.#vendorLost(new Failure("upstream_timeout", "The vendor stopped sending."));
    this.#client.tick(now);
    this.#vendor.tick(now);
    this.#charges.tick?.();
  }

  /** Announces the gateway's shutdown to a client whose format has a message for it. */
  announceShutdown(leftMs: number): void {
    for (const message of this.#parts.format.renderGoAway(leftMs)) this.#client.send(message);
  }

  /** Closes the client with code 1001 because the gateway ends. The client can reconnect to another process. */
  goAway(): void {
    this.#end({ code: closeCodes.goingAway, reason: "the gateway is shutting down; reconnect" });
  }

  /** Runs a step. An internal error in it ends only this session. */
  #safely(step: () => void): void {
    try {
      step();
    } catch (error) {
      const failure = asFailure(error);
      this.#deps.relay.log.error({ ...idsOf(this.#parts.call), err: failure.cause ?? failure }, "session failed");
      this.#end({ code: closeCodes.broken, reason: failure.code, failure });
    }
  }

  #fromClient(message: RealtimeMessage): void {
    if (this.#ended) return;
    this.#clock.noteClientMessage();
    try {
      for (const event of this.#eventsOf(message)) this.#queue.add(event);
    } catch (error) {
      const failure = asFailure(error);
      if (failure.code === "internal_error") throw failure;
      this.#refuse(failure);
    }
  }

  #eventsOf(message: RealtimeMessage): readonly ClientEvent[] {
    const { bridge } = this.#parts.vendor;
    return bridge.read?.(message) ?? [{ message, type: eventType(message.data) }];
  }

  #deliver(event: ClientEvent): void {
    const converted = this.#parts.vendor.bridge.fromClient(event.message);
    this.#forward(converted);
    if (converted.toClient.length > 0) this.#client.awaitReader();
    this.#charges.handleSent?.(event);
  }

  #fromVendor(message: RealtimeMessage): void {
    this.#clock.noteVendorMessage();
    const converted = this.#parts.vendor.bridge.fromVendor(withoutSecrets(message));
    const last = converted.toClient.at(-1);
    if (last !== undefined) this.#vendorFailed = eventType(last.data) === "error";
    this.#forward(converted);
  }

  #forward({ toClient, toVendor, seen, failure }: BridgedMessages): void {
    for (const event of seen ?? toClient.map(inspectEvent)) this.#charges.handleEvent(event);
    for (const message of toClient) this.#client.send(message);
    for (const message of toVendor) this.#vendor.send(message);
    this.#clock.noteOutstanding({ isOutstanding: this.#charges.isOutputOutstanding, isSent: toVendor.length > 0 });
    // Reading from the vendor is not paused after the session has ended, because its last messages report usage.
    if (toClient.length > 0 && this.#client.isFull && !this.#ended) this.#vendor.pause("slow");
    if (toVendor.length > 0 && this.#vendor.isFull) this.#client.pause("slow");
    if (toClient.length > 0 || (seen?.length ?? 0) > 0) this.#queue.sendReady();
    if (failure !== undefined) this.#end(this.#parts.format.endingByRefusal(failure));
  }

  #endUnpaid(error: unknown): void {
    const failure = asFailure(error);
    recordRefusal(this.#deps.refused, { ...this.#parts.call, facts: {} }, failure);
    if (failure.code === "internal_error")
      this.#deps.relay.log.error(
        { ...idsOf(this.#parts.call), err: failure.cause },
        "the session could not be charged",
      );
    const code = failure.kind.retryable ? closeCodes.tryAgain : closeCodes.policy;
    this.#end({ code, reason: failure.code, failure });
  }

  /** Ends the session of a client that has disconnected, once no payment is in progress. */
  #endIfLeft(): void {
    if (this.#clientEnding !== undefined && !this.#charges.isPaying) this.#end(this.#clientEnding);
  }

  #clientClosed(code: number, reason: string): void {
    this.#clientEnding = endingByClient(code, reason);
    this.#endIfLeft();
  }

  /** Resumes reading from the vendor after the client has received the waiting data. */
  #resumeVendor(): void {
    this.#clock.noteVendorMessage();
    this.#vendor.resume("slow");
  }

  #vendorClosed(code: number, reason: string): void {
    // The vendor's last messages may still wait for a slow client.
    this.#vendor.flush();
    const ending = endingByVendor(code, reason, {
      hasFailed: this.#vendorFailed,
      isOutstanding: this.#charges.isOutputOutstanding,
    });
    // A vendor closes with the code "invalid" because of a message of the client, so the vendor has not failed.
    if (ending.failure !== undefined && !this.#ended && code !== closeCodes.invalid)
      this.#parts.onVendorLost(ending.failure.code);
    this.#charges.noteVendorGone();
    this.#end(ending);
  }

  #vendorLost(failure: Failure): void {
    this.#parts.onVendorLost(failure.code);
    this.#charges.noteVendorGone();
    this.#end({ code: closeCodes.broken, reason: failure.code, failure });
  }

  #refuse(failure: Failure, causedBy?: unknown): void {
    const { format } = this.#parts;
    if (format.endsOnRefusal) this.#end(format.endingByRefusal(failure));
    else this.#sendError(failure, causedBy);
  }

  #sendError(failure: Failure, causedBy?: unknown): void {
    const cause = typeof causedBy === "string" ? causedBy : undefined;
    const id = `event_${this.#parts.sessionId}g${++this.#errors}`;
    for (const message of this.#parts.format.renderFailure(failure, id, cause)) this.#client.send(message);
    this.#client.awaitReader();
  }

  /** Closes the client's side. The vendor's side stays open until it has reported the usage to charge. */
  #end(ending: SessionEnding): void {
    if (this.#ended) return;
    const { code, reason, failure, vendorCode = closeCodes.normal } = this.#parts.format.convertEnding(ending);
    this.#ended = true;
    this.#charges.end();
    this.#queue.clear();
    if (failure !== undefined) this.#sendError(failure);
    this.#client.close(code, reason);
    void this.#finish(vendorCode, reason).then(this.#resolve);
    const { call } = this.#parts;
    const seconds = Math.round((Date.now() - this.#clock.startedAt) / 1_000);
    const end = { code, reason, failure: failure?.code, seconds, callId: this.#charges.callId };
    this.#deps.relay.log.info({ ...idsOf(call), account: call.caller.accountId, ...end }, "session ended");
  }

  async #finish(vendorCode: number, reason: string): Promise<void> {
    this.#vendor.resume("slow");
    const { ending, limits } = this.#deps;
    const withinMs = ending.aborted ? limits.maxUsageWaitAtShutdownMs : limits.lastUsageMs;
    if (this.#vendor.isOpen) await this.#charges.awaitLastUsage(withinMs);
    this.#vendor.close(vendorCode, reason);
    this.#parts.seat[Symbol.dispose](); // the settlement takes up to an hour during an outage of Redis
    await this.#charges.close();
  }
}
