import { maxStepBytes } from "@modelgate/formats/json";
import type { RealtimeMessage } from "@modelgate/wires/realtime";
import { WebSocket } from "ws";
import type { SessionLimits } from "./deps.ts";

export interface SideEvents {
  message(message: RealtimeMessage): void;
  /** Called once when the connection has ended. The code is 1006 if the peer sent no close frame. */
  closed(code: number, reason: string): void;
  /** Called when most of the data that waited for this side is written. */
  drained(): void;
  /** Checks a large message before it is passed on. Rejects if the message is refused. */
  check?(data: Buffer): Promise<void>;
  /** Called with the error of `check` for a message that was refused and dropped. */
  refused?(error: unknown): void;
}

export type SideLimits = Pick<SessionLimits, "bufferedBytes" | "stallMs" | "pingMs">;

/** Divisor of `bufferedBytes`: reading from the other side continues when fewer bytes than the quotient wait. */
const resumeDivisor = 4;
/** Time, in ms, after which further messages wait for the next iteration of the event loop. */
const maxBusyMs = 10;
/** Maximum time, in ms, for a side to answer a close before its connection is cut. */
const closeMs = 5_000;
/** Consecutive pings without any response after which a side is disconnected. */
const maxMissedPongs = 3;

/** One side of a session. Messages that were read before a pause wait here. */
export class Side {
  readonly #socket: WebSocket;
  readonly #events: SideEvents;
  readonly #limits: SideLimits;
  readonly #pauseReasons = new Set<string>();
  #waiting: RealtimeMessage[] = [];
  /** Pending check of a large message; later messages wait for it. */
  #checking: Promise<void> | undefined;
  #isFull = false;
  #fullSince = 0;
  #missed = 0;
  #pingedAt = Date.now();
  #ended = false;
  /** Time of the first message in this iteration of the event loop; undefined before it. */
  #busySince: number | undefined;
  /** Code and reason of a connection that ended while messages waited for the next iteration. */
  #closedWith: readonly [code: number, reason: string] | undefined;

  constructor(socket: WebSocket, limits: SideLimits, events: SideEvents) {
    this.#socket = socket;
    this.#limits = limits;
    this.#events = events;
    socket.on("message", this.#onMessage);
    socket.on("pong", this.#onSignOfLife);
    socket.on("ping", this.#onSignOfLife);
    socket.on("close", this.#onClose);
    // The close event follows an error.
    socket.on("error", () => undefined);
  }

  /** True while messages can be sent. */
  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** True while so much data waits for this side that reading from the other side must stop. */
  get isFull(): boolean {
    return this.#isFull;
  }

  send({ data, binary }: RealtimeMessage): void {
    if (!this.isOpen) return;
    this.#socket.send(data, { binary, compress: false }, this.#onFlushed);
    if (this.#isFull || this.#socket.bufferedAmount <= this.#limits.bufferedBytes) return;
    this.#isFull = true;
    this.#fullSince = Date.now();
  }

  /** Stops reading from a side that does not read the answers to its messages, until most of them are written. */
  awaitReader(): void {
    if (this.#isFull) this.pause("answers");
  }

  /** Stops reading for a reason; reading continues when no reason is left. */
  pause(reason: string): void {
    if (this.#ended) return;
    if (this.#pauseReasons.size === 0) this.#socket.pause();
    this.#pauseReasons.add(reason);
  }

  resume(reason: string): void {
    if (!this.#pauseReasons.delete(reason) || this.#pauseReasons.size > 0 || this.#ended) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [index, message] of waiting.entries()) {
      // A message may pause the side again: the rest waits, in order.
      if (this.#isPaused()) {
        this.#waiting = [...waiting.slice(index), ...this.#waiting];
        return;
      }
      this.#handle(message);
    }
    if (!this.#isPaused()) this.#socket.resume();
  }

  /** Passes on all waiting messages, even while paused. Called when no more messages can come. */
  flush(): void {
    this.#pauseReasons.clear();
    for (const message of this.#waiting.splice(0)) this.#events.message(message);
  }

  /** Handles messages that came before this side had listeners. */
  replay(messages: readonly RealtimeMessage[]): void {
    for (const message of messages) this.#receive(message);
  }

  /** Cuts a side that reads nothing, or has not answered pings, for too long. Called periodically. */
  tick(now: number): void {
    const { stallMs, pingMs } = this.#limits;
    if (this.#isFull && now - this.#fullSince > stallMs) return this.#socket.terminate();
    // While reading is paused, no pong can arrive.
    if (now - this.#pingedAt < pingMs || !this.isOpen || this.#isPaused()) return;
    this.#pingedAt = now;
    if (this.#missed >= maxMissedPongs) return this.#socket.terminate();
    this.#missed++;
    this.#socket.ping();
  }

  /** Sends a close frame, and cuts the connection if the close is not answered. Drops messages that still arrive. */
  close(code: number, reason: string): void {
    this.#ended = true;
    this.#waiting = [];
    if (this.#pauseReasons.size > 0) this.#socket.resume();
    this.#socket.close(code, reason);
    const timer = setTimeout(() => this.#socket.terminate(), closeMs);
    timer.unref();
    this.#socket.once("close", () => clearTimeout(timer));
  }

  #isPaused(): boolean {
    return this.#pauseReasons.size > 0;
  }

  #receive(message: RealtimeMessage): void {
    const isLarge = message.data.length > maxStepBytes && this.#events.check !== undefined;
    if (!isLarge && this.#checking === undefined) return this.#handleOrQueue(message);
    this.pause("check");
    const checking = this.#checkAfter(this.#checking, message, isLarge).then(() => {
      if (this.#checking !== checking) return;
      this.#checking = undefined;
      this.resume("check");
    });
    this.#checking = checking;
  }

  /** Checks and handles a message after earlier messages. */
  async #checkAfter(before: Promise<void> | undefined, message: RealtimeMessage, isLarge: boolean): Promise<void> {
    await before;
    try {
      if (isLarge) await this.#events.check?.(message.data);
      this.#handleOrQueue(message);
    } catch (error) {
      if (!this.#ended) this.#events.refused?.(error);
    }
  }

  #handleOrQueue(message: RealtimeMessage): void {
    if (this.#ended) return;
    if (this.#isPaused() || this.#waiting.length > 0) this.#waiting.push(message);
    else this.#handle(message);
  }

  /** Handles a message. A flood of them is interrupted, so that other sessions are served. */
  #handle(message: RealtimeMessage): void {
    const now = performance.now();
    if (this.#busySince === undefined) {
      this.#busySince = now;
      setImmediate(() => this.#endIteration());
    } else if (now - this.#busySince > maxBusyMs) this.pause("busy");
    this.#events.message(message);
  }

  #endIteration(): void {
    this.#busySince = undefined;
    this.resume("busy");
    if (this.#closedWith === undefined || this.#pauseReasons.has("busy")) return;
    this.#events.closed(...this.#closedWith);
    this.#closedWith = undefined;
  }

  readonly #onMessage = (data: unknown, binary: boolean): void => {
    this.#missed = 0;
    // The sockets deliver one Buffer per message.
    if (Buffer.isBuffer(data)) this.#receive({ data, binary });
  };

  readonly #onSignOfLife = (): void => {
    this.#missed = 0;
  };

  readonly #onFlushed = (): void => {
    if (!this.#isFull || this.#socket.bufferedAmount > this.#limits.bufferedBytes / resumeDivisor) return;
    this.#isFull = false;
    this.resume("answers");
    this.#events.drained();
  };

  readonly #onClose = (code: number, reason: Buffer): void => {
    // Messages that came before the end are handled before it.
    if (this.#pauseReasons.has("busy")) this.#closedWith = [code, reason.toString()];
    else this.#events.closed(code, reason.toString());
  };
}
