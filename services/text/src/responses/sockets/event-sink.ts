import { ClientDisconnected, type AnswerSink, type SinkWatcher } from "@modelgate/platform";
import { eventStreamFraming } from "@modelgate/formats/sse";
import type { WebSocket } from "ws";
import { createdId, messageOf } from "./events.ts";

/** Writing is resumed when the buffer has fallen to its limit divided by this number. */
const resumeDivisor = 4;
/** Close code of RFC 6455 for an unexpected condition of the server. */
const brokenCode = 1011;
/** End mark of some vendors' streams, which is not an event. */
const streamEnd = "[DONE]";

interface EventSinkOptions {
  readonly streamId: string | undefined;
  readonly bufferedBytes: number;
  readonly ending: AbortSignal;
  /** Called with the response's id before the client receives it. */
  readonly onCreated: (id: string) => void;
}

/** Sink of one response on a WebSocket. Each event of the stream becomes a message. */
export class EventSink implements AnswerSink {
  readonly #socket: WebSocket;
  readonly #streamId: string | undefined;
  readonly #bufferedBytes: number;
  #onCreated: EventSinkOptions["onCreated"] | undefined;
  readonly #frames = eventStreamFraming.splitter();
  /** Watchers in the order in which they are called. A watcher may be removed meanwhile. */
  readonly #watchers = new Set<SinkWatcher>();
  readonly #ending = new AbortController();
  readonly #connectionEnding: AbortSignal;
  #begun = false;
  #isEnding = false;
  #hasEnded = false;
  #wasFull = false;

  /** `ending` is aborted with a Failure if the gateway ends the connection's responses. */
  constructor(socket: WebSocket, { streamId, bufferedBytes, ending, onCreated }: EventSinkOptions) {
    this.#socket = socket;
    this.#streamId = streamId;
    this.#bufferedBytes = bufferedBytes;
    this.#onCreated = onCreated;
    this.#connectionEnding = ending;
    // The connection may have closed since the request arrived.
    if (socket.readyState === socket.CLOSED) this.#onDisconnect();
    else socket.once("close", this.#onDisconnect);
    if (ending.aborted) this.#interrupt();
    else ending.addEventListener("abort", this.#interrupt);
  }

  /** Returns the signal that is aborted if the response is ended early. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get isHeadSent(): boolean {
    return this.#begun;
  }

  get isClosed(): boolean {
    return this.#hasEnded || this.#isEnding || this.#socket.readyState !== this.#socket.OPEN;
  }

  get isFull(): boolean {
    return this.#wasFull;
  }

  setHeader(): void {}

  announceTrailer(): void {}

  addTrailer(): void {}

  begin(): void {
    this.#begun = true;
  }

  write(piece: Buffer | string): boolean {
    if (this.isClosed) return true;
    for (const frame of this.#frames.push(Buffer.from(piece))) this.#send(frame);
    this.#wasFull ||= this.#socket.bufferedAmount > this.#bufferedBytes;
    return !this.#wasFull;
  }

  end(last?: Buffer | string): void {
    if (this.#hasEnded || this.#isEnding) return;
    if (last !== undefined) this.write(last);
    const rest = this.#frames.end();
    if (rest.length > 0) this.#send(rest);
    // The caller of `end` does not expect a watcher to be called before `end` returns.
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

  readonly #onDisconnect = (): void => {
    if (!this.#isEnding) this.#end(false);
  };

  readonly #interrupt = (): void => {
    if (!this.#hasEnded && !this.#isEnding) this.#ending.abort(this.#connectionEnding.reason);
  };

  #send(frame: Buffer): void {
    const data = eventStreamFraming.parse(frame)?.data;
    // A comment is a heartbeat of the stream; on a WebSocket a ping replaces it.
    if (data === undefined) return this.#socket.ping();
    if (data === streamEnd) return;
    if (this.#onCreated !== undefined) this.#checkCreated(data);
    this.#socket.send(messageOf(data, this.#streamId), this.#sent);
  }

  #checkCreated(data: string): void {
    const id = createdId(data);
    if (id === undefined) return;
    this.#onCreated?.(id);
    this.#onCreated = undefined;
  }

  readonly #sent = (): void => {
    if (!this.#wasFull || this.#socket.bufferedAmount > this.#bufferedBytes / resumeDivisor) return;
    this.#wasFull = false;
    for (const { drained } of this.#watchers) drained?.();
  };

  #end(isComplete: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#socket.off("close", this.#onDisconnect);
    this.#connectionEnding.removeEventListener("abort", this.#interrupt);
    if (!isComplete) this.#ending.abort(new ClientDisconnected("the client disconnected before the answer"));
    for (const { closed } of this.#watchers) closed?.(isComplete);
  }
}
