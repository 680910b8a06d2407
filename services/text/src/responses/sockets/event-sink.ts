import { ClientGone, type AnswerSink, type SinkWatcher } from "@modelgate/platform";
import { eventStreamFraming } from "@modelgate/wires/sse";
import type { WebSocket } from "ws";
import { messageOf } from "./events.ts";

/** Divisor of the buffer limit: a full buffer must fall to this share before writing continues. */
const lowShare = 4;
/** RFC 6455: the server met an unexpected condition. */
const brokenCode = 1011;
/** End marker of some vendors' streams, which is not an event. */
const streamEnd = "[DONE]";

interface EventSinkOptions {
  readonly lane: string | undefined;
  readonly bufferedBytes: number;
  readonly ending: AbortSignal;
}

/** Sink of one response on a WebSocket: each event of its stream becomes a message. The response head is not sent. */
export class EventSink implements AnswerSink {
  readonly #socket: WebSocket;
  readonly #lane: string | undefined;
  readonly #bufferedBytes: number;
  readonly #frames = eventStreamFraming.splitter();
  /** Watchers are called in the order in which they were added; one may unsubscribe while they are called. */
  readonly #watchers = new Set<SinkWatcher>();
  readonly #ending = new AbortController();
  readonly #connectionEnding: AbortSignal;
  #begun = false;
  #isEnding = false;
  #over = false;
  #wasFull = false;

  /** `ending` closes the connection with a Failure when its response ends. */
  constructor(socket: WebSocket, { lane, bufferedBytes, ending }: EventSinkOptions) {
    this.#socket = socket;
    this.#lane = lane;
    this.#bufferedBytes = bufferedBytes;
    this.#connectionEnding = ending;
    // The connection may have closed since the request arrived.
    if (socket.readyState === socket.CLOSED) this.#left();
    else socket.once("close", this.#left);
    if (ending.aborted) this.#interrupt();
    else ending.addEventListener("abort", this.#interrupt);
  }

  /** Aborts if the response is ended early. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get begun(): boolean {
    return this.#begun;
  }

  get closed(): boolean {
    return this.#over || this.#isEnding || this.#socket.readyState !== this.#socket.OPEN;
  }

  get full(): boolean {
    return this.#wasFull;
  }

  setHeader(): void {}

  announceTrailer(): void {}

  addTrailer(): void {}

  begin(): void {
    this.#begun = true;
  }

  write(piece: Buffer | string): boolean {
    if (this.closed) return true;
    for (const frame of this.#frames.push(Buffer.from(piece))) this.#send(frame);
    this.#wasFull ||= this.#socket.bufferedAmount > this.#bufferedBytes;
    return !this.#wasFull;
  }

  end(last?: Buffer | string): void {
    if (this.#over || this.#isEnding) return;
    if (last !== undefined) this.write(last);
    const rest = this.#frames.end();
    if (rest.length > 0) this.#send(rest);
    // Runs outside the call: the caller that ends an answer does not expect the event inside its call.
    setImmediate(() => this.#end(true));
    this.#isEnding = true;
  }

  destroy(): void {
    this.#socket.close(brokenCode);
    this.#end(false);
  }

  watch(watcher: SinkWatcher): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  readonly #left = (): void => {
    if (!this.#isEnding) this.#end(false);
  };

  readonly #interrupt = (): void => {
    if (!this.#over && !this.#isEnding) this.#ending.abort(this.#connectionEnding.reason);
  };

  #send(frame: Buffer): void {
    const data = eventStreamFraming.parse(frame)?.data;
    // A comment only keeps the connection open; here a ping does that.
    if (data === undefined) this.#socket.ping();
    else if (data !== streamEnd) this.#socket.send(messageOf(data, this.#lane), this.#sent);
  }

  readonly #sent = (): void => {
    if (!this.#wasFull || this.#socket.bufferedAmount > this.#bufferedBytes / lowShare) return;
    this.#wasFull = false;
    for (const { drained } of this.#watchers) drained?.();
  };

  #end(whole: boolean): void {
    if (this.#over) return;
    this.#over = true;
    this.#socket.off("close", this.#left);
    this.#connectionEnding.removeEventListener("abort", this.#interrupt);
    if (!whole) this.#ending.abort(new ClientGone("the client left before its answer"));
    for (const { closed } of this.#watchers) closed?.(whole);
  }
}
