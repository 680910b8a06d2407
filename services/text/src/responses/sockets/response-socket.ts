import { Failure } from "@modelgate/contracts";
import {
  ClientDisconnected,
  failureFrom,
  idsOf,
  recordRefusal,
  recordStreamRefusal,
  type CallFacts,
  type Holding,
} from "@modelgate/platform";
import type { Call } from "@modelgate/relay";
import type { JsonObject } from "@modelgate/wires/text";
import type { WebSocket } from "ws";
import type { ResponsesDeps } from "../deps.ts";
import { responsesParser } from "../prepare.ts";
import { runResponses } from "../run-responses.ts";
import type { AnsweredResponse } from "../store-answered.ts";
import { streamIdOf, parseMessage, readCreateEvent } from "./create-event.ts";
import { EventSender } from "./event-sender.ts";
import { EventSink } from "./event-sink.ts";
import { errorEvent } from "./events.ts";
import { ConnectionTurns } from "./connection-turns.ts";
import { storePrefilledTurn } from "./prefilled-turn.ts";
import { mayBeSteer } from "./steer-input.ts";
import { Steering } from "./steering.ts";
import { callerOfNext, callOf, type OpeningCall } from "./socket-call.ts";

/** Maximum waiting requests of one connection. */
const maxWaiting = 16;
const waitingText = `At most ${maxWaiting} requests of a connection may wait.`;
/** Maximum consecutive refused steering inputs; then the client is disconnected. Rate limits do not apply to them. */
const maxRefusedSteers = 64;
/** Maximum bytes that may wait to be sent to a client; beyond it, reading from the vendor or the client is paused. */
const bufferedBytes = 1024 * 1024;
/** Interval between pings in ms, and maximum consecutive pings without an answer. */
const [pingMs, maxMissed] = [25_000, 3];
/** Maximum ms until a client answers a close frame. */
const closeMs = 5_000;

/** Close codes of RFC 6455 and its registry. */
const closeCodes = { normal: 1000, unsupported: 1003, policy: 1008, restart: 1012 } as const;

interface WaitingMessage {
  readonly data: Buffer;
  readonly holding: Holding;
}

/**
 * One WebSocket for responses. Each `response.create` event is a separate call, and the calls run one after another.
 * The edge admits the first call with the handshake. Further calls are admitted here, by the current state of their API
 * key.
 */
export class ResponseSocket {
  /** Resolves when the connection is closed and its last response is settled. */
  readonly closed: Promise<void>;
  readonly #deps: ResponsesDeps;
  readonly #call: OpeningCall;
  readonly #socket: WebSocket;
  readonly #sender: EventSender;
  readonly #turns: ConnectionTurns;
  readonly #steering: Steering;
  readonly #waiting: WaitingMessage[] = [];
  readonly #openedAt = Date.now();
  readonly #finished = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  /** Resolves when the last message that may be a `response.steer` event, and those after it, are dispatched. */
  #dispatching: Promise<void> | undefined;
  #isRunning = false;
  #isDraining = false;
  #requests = 0;
  #refusedSteers = 0;
  #activeAt = Date.now();
  #pingedAt = Date.now();
  #missed = 0;

  constructor(deps: ResponsesDeps, call: OpeningCall, socket: WebSocket) {
    this.#deps = deps;
    this.#call = call;
    this.#socket = socket;
    this.#sender = new EventSender(socket, bufferedBytes);
    this.#turns = new ConnectionTurns(deps.body, call.caller);
    this.#steering = new Steering({
      send: (event) => this.#sender.send(JSON.stringify(event)),
      newId: () => deps.newAnswerId().replace(/^answer_/, "steer_"),
    });
    this.closed = this.#finished.promise;
    socket.on("message", (data: unknown, binary: boolean) => this.#onMessage(data, binary));
    socket.on("pong", () => {
      this.#missed = 0;
    });
    socket.on("error", () => undefined); // a close event follows
    socket.on("close", () => this.#onClose());
  }

  /** Enforces the time limits of the connection. It must be called periodically. */
  checkTimeLimits(now: number): void {
    const { maxIdleMs, maxAgeMs } = this.#deps.sockets;
    if (!this.#isRunning && now - this.#openedAt > maxAgeMs) return this.#expire();
    if (!this.#isRunning && now - this.#activeAt > maxIdleMs) return this.#close(closeCodes.normal, "idle");
    if (now - this.#pingedAt < pingMs) return;
    this.#pingedAt = now;
    if (this.#missed >= maxMissed) return this.#socket.terminate();
    this.#missed++;
    this.#socket.ping();
  }

  /** Accepts no more requests, and closes the connection when the running response has ended. */
  drain(): void {
    this.#isDraining = true;
    if (!this.#isRunning) this.#close(closeCodes.restart, "the gateway is being restarted; reconnect");
  }

  /** Ends the running response with a failure, and closes the connection. */
  interrupt(failure: Failure): void {
    this.drain();
    this.#ending.abort(failure);
  }

  #onMessage(data: unknown, binary: boolean): void {
    this.#missed = 0;
    if (binary || !Buffer.isBuffer(data)) return this.#close(closeCodes.unsupported, "events are text");
    if (this.#isDraining || !this.#isOpen) return;
    const holding = this.#deps.body.budget.openHolding(this.#call.caller);
    try {
      holding.add(data.length);
    } catch (error) {
      holding[Symbol.dispose]();
      return this.#refuse(error, undefined);
    }
    if (mayBeSteer(data) || this.#dispatching !== undefined) this.#dispatchInOrder({ data, holding });
    else this.#enqueue({ data, holding });
  }

  /** Dispatches a message after those before it, because a large one takes longer to parse. */
  #dispatchInOrder(message: WaitingMessage): void {
    const before = this.#dispatching ?? Promise.resolve();
    const dispatching = before
      .then(() => this.#dispatch(message))
      .then(() => {
        if (this.#dispatching === dispatching) this.#dispatching = undefined;
      });
    this.#dispatching = dispatching;
  }

  #enqueue(message: WaitingMessage): void {
    if (this.#waiting.length >= maxWaiting) {
      message.holding[Symbol.dispose]();
      return this.#refuse(new Failure("rate_limit_exceeded", waitingText), undefined);
    }
    this.#waiting.push(message);
    if (!this.#isRunning) void this.#run();
  }

  /** Handles a `response.steer` event immediately. Another message waits for the running response. */
  async #dispatch(message: WaitingMessage): Promise<void> {
    const event = mayBeSteer(message.data)
      ? await parseMessage(message.data, this.#deps.body).catch(() => undefined)
      : undefined;
    if (event?.["type"] !== "response.steer" || !this.#isOpen) return this.#enqueue(message);
    const { data, holding } = message;
    this.#refusedSteers = this.#steering.steer(event, { bytes: data.length, holding }) ? 0 : this.#refusedSteers + 1;
    if (this.#refusedSteers > maxRefusedSteers) this.#close(closeCodes.policy, "too many refused steering inputs");
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      using _holding = next.holding;
      if (this.#isOpen && !this.#isDraining) await this.#answer(next);
      await this.#turns.allStored();
    }
    this.#isRunning = false;
    this.#activeAt = Date.now();
    if (!this.#isOpen) this.#finish();
    else if (this.#isDraining) this.drain();
  }

  /** Answers one message, and then the steering input for its response. Never rejects: failures become error events. */
  async #answer({ data: message, holding }: WaitingMessage): Promise<void> {
    let streamId: string | undefined;
    let next: JsonObject | undefined;
    try {
      const event = await parseMessage(message, this.#deps.body);
      streamId = streamIdOf(event);
      next = this.#steering.begin(event, streamId);
    } catch (error) {
      recordRefusal(this.#deps.refused, { ...this.#call, id: "responses", facts: {} }, error);
      return this.#refuse(error, streamId);
    }
    for (let isSuccessor = false; next !== undefined; isSuccessor = true) {
      const { answered, failure } = await this.#respond(next, { streamId, holding, isSuccessor });
      await this.#turns.allStored();
      const reason = failure?.message ?? (this.#isDraining ? "The gateway is being restarted." : undefined);
      next = this.#steering.end(answered, reason);
    }
  }

  /** Runs one response. Never rejects; returns the failure of a response that did not begin. */
  async #respond(
    event: JsonObject,
    { streamId, holding, isSuccessor }: { streamId: string | undefined; holding: Holding; isSuccessor: boolean },
  ): Promise<{ readonly answered?: AnsweredResponse | undefined; readonly failure?: Failure }> {
    let previousId: string | undefined;
    let call: Call | undefined;
    const facts: CallFacts = {};
    try {
      const { value, bytes, generate } = await readCreateEvent(event, Infinity);
      const wasAdmittedAtOpening = this.#requests++ === 0;
      const caller = await callerOfNext(this.#deps.relay, this.#call, wasAdmittedAtOpening);
      const onCreated = (id: string): void => this.#steering.created(id);
      const sink = new EventSink(this.#socket, { streamId, bufferedBytes, ending: this.#ending.signal, onCreated });
      const opening = { ...this.#call, caller };
      call = callOf(this.#deps.relay, opening, { answer: sink, ending: sink.ending, facts }, this.#requests);
      const deps = { ...this.#deps, responses: this.#turns.layeredOver(this.#deps.responses) };
      const inspected = await responsesParser(deps, call)(value, bytes);
      previousId = inspected.params.previousId;
      const read = { bytes, inspected, holding, [Symbol.dispose]: () => undefined };
      let answered: Promise<AnsweredResponse | undefined> | undefined;
      const onAnswered = (turn: Promise<AnsweredResponse | undefined>): void => {
        answered = turn;
        this.#turns.add(turn);
      };
      if (generate) await runResponses(deps, call, read, onAnswered);
      else await storePrefilledTurn(deps, call, read, onAnswered);
      recordStreamRefusal(this.#deps.refused, { ...this.#call, id: "responses", facts });
      return { answered: await answered };
    } catch (error) {
      if (previousId !== undefined) this.#turns.evict(previousId);
      recordRefusal(this.#deps.refused, { ...this.#call, id: "responses", facts }, error);
      // The client did not request a successor. Its failure is reported as the failure of the steering input.
      if (!(error instanceof ClientDisconnected) && !isSuccessor) this.#refuse(error, streamId);
      return { failure: failureFrom(error) };
    } finally {
      call?.span?.end();
    }
  }

  #refuse(error: unknown, streamId: string | undefined): void {
    const failure = failureFrom(error);
    if (failure.code === "internal_error")
      this.#deps.relay.log.error({ ...idsOf(this.#call), err: failure.cause ?? failure }, "call failed");
    this.#sender.send(errorEvent(failure, streamId));
    if (failure.status === 401) this.#close(closeCodes.policy, failure.code);
  }

  /** Closes a connection that has reached its maximum age, with an error event. */
  #expire(): void {
    const code = "websocket_connection_limit_reached";
    const failure = new Failure("session_expired", "This connection has reached its maximum age: open a new one.", {
      vendorCode: code,
    });
    this.#refuse(failure, undefined);
    this.#close(closeCodes.normal, code);
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    const timer = setTimeout(() => this.#socket.terminate(), closeMs);
    timer.unref();
    this.#socket.once("close", () => clearTimeout(timer));
  }

  #onClose(): void {
    for (const { holding } of this.#waiting.splice(0)) holding[Symbol.dispose]();
    if (!this.#isRunning) this.#finish();
  }

  #finish(): void {
    this.#steering[Symbol.dispose]();
    this.#turns[Symbol.dispose]();
    this.#finished.resolve();
  }
}
