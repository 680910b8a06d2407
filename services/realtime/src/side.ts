import { turnBytes } from "@modelgate/wires/json";
import type { RealtimeMessage } from "@modelgate/wires/realtime";
import { WebSocket } from "ws";
import type { SessionLimits } from "./deps.ts";

/** Called for what happens on a side. */
export interface SideEvents {
  message(message: RealtimeMessage): void;
  /** Once: the connection is over, with the other's code and reason; 1006 where it said nothing. */
  closed(code: number, reason: string): void;
  /** Called when the data that waited for this side is written. */
  drained(): void;
  /** Checks a large message before it is passed on, in turns with other sessions; rejects for one that is refused. */
  check?(data: Buffer): Promise<void>;
  /** A message was dropped, because its check refused it. */
  refused?(error: unknown): void;
}

/** Limits of the data that waits for a side and of its time, and the interval of pings. */
export type SideLimits = Pick<SessionLimits, "bufferedBytes" | "stallMs" | "pingMs">;

/** Part of its bound that a side's buffer must fall to before the other side is read on. */
const lowShare = 4;
/** Time that a side has to answer a close before it is cut. */
const closeMs = 5_000;
/** Pings without any sign of life after which a side is gone. */
const maxMissed = 3;

/**
 * One side of a session: its socket, the reasons to pause reading from it, and the backlog of data to write to it.
 * Messages that were read before a pause wait here, at most those of one chunk of the socket.
 */
export class Side {
  readonly #socket: WebSocket;
  readonly #events: SideEvents;
  readonly #limits: SideLimits;
  readonly #reasons = new Set<string>();
  #waiting: RealtimeMessage[] = [];
  /** Large messages that are being checked, and what came after them. */
  #checking: Promise<void> | undefined;
  #full = false;
  #fullSince = 0;
  #missed = 0;
  #pingedAt = Date.now();
  #ended = false;

  constructor(socket: WebSocket, limits: SideLimits, events: SideEvents) {
    this.#socket = socket;
    this.#limits = limits;
    this.#events = events;
    socket.on("message", this.#onMessage);
    socket.on("pong", this.#onSign);
    socket.on("ping", this.#onSign);
    socket.on("close", this.#onClose);
    // An error is followed by close, which says what is to be done.
    socket.on("error", () => undefined);
  }

  /** True while messages can be sent. */
  get open(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** True while so much waits for this side that the other must not be read on. */
  get full(): boolean {
    return this.#full;
  }

  send({ data, binary }: RealtimeMessage): void {
    if (!this.open) return;
    this.#socket.send(data, { binary, compress: false }, this.#onFlushed);
    if (this.#full || this.#socket.bufferedAmount <= this.#limits.bufferedBytes) return;
    this.#full = true;
    this.#fullSince = Date.now();
  }

  /** Reads no further for a reason, until every reason is gone. */
  pause(reason: string): void {
    if (this.#ended) return;
    if (this.#reasons.size === 0) this.#socket.pause();
    this.#reasons.add(reason);
  }

  resume(reason: string): void {
    if (!this.#reasons.delete(reason) || this.#reasons.size > 0 || this.#ended) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [at, message] of waiting.entries()) {
      // A message may hold the side up again: the rest waits on, in its order.
      if (this.#isHeld()) {
        this.#waiting = [...waiting.slice(at), ...this.#waiting];
        return;
      }
      this.#events.message(message);
    }
    if (!this.#isHeld()) this.#socket.resume();
  }

  /** Passes on what waits, whatever holds it up: nothing more will come. */
  flush(): void {
    this.#reasons.clear();
    for (const message of this.#waiting.splice(0)) this.#events.message(message);
  }

  /** Messages that came before this side was listened to. */
  replay(messages: readonly RealtimeMessage[]): void {
    for (const message of messages) this.#receive(message);
  }

  /** Called again and again: cuts a side that is gone, one that takes nothing or gives no sign of life for too long. */
  tick(now: number): void {
    const { stallMs, pingMs } = this.#limits;
    if (this.#full && now - this.#fullSince > stallMs) return this.#socket.terminate();
    // While nothing is read, nothing can be heard either.
    if (now - this.#pingedAt < pingMs || !this.open || this.#isHeld()) return;
    this.#pingedAt = now;
    if (this.#missed >= maxMissed) return this.#socket.terminate();
    this.#missed++;
    this.#socket.ping();
  }

  /** Says good-bye, and cuts the connection where that is not answered. What still comes is dropped. */
  close(code: number, reason: string): void {
    this.#ended = true;
    this.#waiting = [];
    if (this.#reasons.size > 0) this.#socket.resume();
    this.#socket.close(code, reason);
    const timer = setTimeout(() => this.#socket.terminate(), closeMs);
    timer.unref();
    this.#socket.once("close", () => clearTimeout(timer));
  }

  #isHeld(): boolean {
    return this.#reasons.size > 0;
  }

  #receive(message: RealtimeMessage): void {
    const isLarge = message.data.length > turnBytes && this.#events.check !== undefined;
    if (!isLarge && this.#checking === undefined) return this.#take(message);
    this.pause("check");
    const checking = this.#checkAfter(this.#checking, message, isLarge).then(() => {
      if (this.#checking !== checking) return;
      this.#checking = undefined;
      this.resume("check");
    });
    this.#checking = checking;
  }

  /** Keeps the order of messages: what comes after a large one waits for its check. */
  async #checkAfter(before: Promise<void> | undefined, message: RealtimeMessage, isLarge: boolean): Promise<void> {
    await before;
    try {
      if (isLarge) await this.#events.check?.(message.data);
      this.#take(message);
    } catch (error) {
      if (!this.#ended) this.#events.refused?.(error);
    }
  }

  #take(message: RealtimeMessage): void {
    if (this.#ended) return;
    if (this.#isHeld() || this.#waiting.length > 0) this.#waiting.push(message);
    else this.#events.message(message);
  }

  readonly #onMessage = (data: unknown, binary: boolean): void => {
    this.#missed = 0;
    // The sockets are set to give one Buffer a message.
    if (Buffer.isBuffer(data)) this.#receive({ data, binary });
  };

  readonly #onSign = (): void => {
    this.#missed = 0;
  };

  readonly #onFlushed = (): void => {
    if (!this.#full || this.#socket.bufferedAmount > this.#limits.bufferedBytes / lowShare) return;
    this.#full = false;
    this.#events.drained();
  };

  readonly #onClose = (code: number, reason: Buffer): void => this.#events.closed(code, reason.toString());
}
