import type { Failure } from "@modelgate/contracts";
import { ClientGone, type AnswerSink, type SinkWatcher } from "@modelgate/platform";
import { isRecord, parseRecord } from "@modelgate/wires/json";
import { eventStreamFraming } from "@modelgate/wires/sse";
import type { JsonObject } from "@modelgate/wires/text";
import { isOver } from "./events.ts";

/** Bytes that may wait to be kept before the vendor is held up. */
const bufferedBytes = 1024 * 1024;
/** Part of that which must be left before more is written. */
const lowShare = 4;

/** Store of the events, and their bounds. */
export interface EventKeeping {
  /** Keeps events; where it rejects, or resolves with false, no more of them are kept. */
  readonly keep: (events: readonly string[]) => Promise<boolean>;
  /** Maximum events, and characters of them, that are kept beside the last. */
  readonly maxEvents: number;
  readonly maxCharacters: number;
  /** The number of the first event. */
  readonly from: number;
  /** Members of every response object, whatever its vendor reports. */
  readonly patch: JsonObject;
}

/**
 * The sink of a response that is made in the background: its events are numbered and kept, in batches. The one that ends
 * the response is not: it is kept after the response itself.
 */
export class BackgroundSink implements AnswerSink {
  /** The newest response object that an event showed. */
  response: JsonObject | undefined;
  /** The number of the next event. */
  next: number;
  readonly #keeping: EventKeeping;
  readonly #frames = eventStreamFraming.splitter();
  readonly #watchers = new Set<SinkWatcher>();
  readonly #ending = new AbortController();
  #waiting: string[] = [];
  #waitingCharacters = 0;
  #keptCharacters = 0;
  #isKeeping = true;
  #flushing: Promise<void> | undefined;
  #begun = false;
  #isEnding = false;
  #over = false;
  #wasFull = false;

  constructor(keeping: EventKeeping) {
    this.#keeping = keeping;
    this.next = keeping.from;
  }

  /** Aborted if the response is cancelled or fails before its end. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get begun(): boolean {
    return this.#begun;
  }

  get closed(): boolean {
    return this.#over || this.#isEnding;
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
    for (const frame of this.#frames.push(Buffer.from(piece))) this.#take(frame);
    this.#wasFull ||= this.#waitingCharacters > bufferedBytes;
    return !this.#wasFull;
  }

  end(last?: Buffer | string): void {
    if (this.closed) return;
    if (last !== undefined) this.write(last);
    const rest = this.#frames.end();
    if (rest.length > 0) this.#take(rest);
    // Not within the call: who ends an answer does not hear of that meanwhile.
    setImmediate(() => this.#end(true));
    this.#isEnding = true;
  }

  destroy(): void {
    this.#end(false);
  }

  watch(watcher: SinkWatcher): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** The response is not wanted any more. */
  cancel(): void {
    if (!this.#isEnding) this.#end(false);
  }

  /** Ends the response before it is over, for a reason of the gateway's. */
  interrupt(failure: Failure): void {
    if (!this.closed) this.#ending.abort(failure);
  }

  /** Resolves when all events until now are kept, or lost. */
  async flushed(): Promise<void> {
    await this.#flushing;
  }

  #take(frame: Buffer): void {
    const data = eventStreamFraming.parse(frame)?.data;
    const event = data === undefined ? undefined : parseRecord(data);
    if (event === undefined) return; // a sign of life, or the end of some vendors' streams
    const { type, sequence_number: _theirs, ...members } = event;
    if (type === "error") return this.#failed(event);
    const { response } = members;
    if (!isRecord(response)) return this.#keep({ type, ...members });
    this.response = { ...response, ...this.#keeping.patch };
    // That it was created was said before there was a vendor.
    if (type !== "response.created" && !isOver(this.response)) this.#keep({ type, response: this.response });
  }

  #failed(event: JsonObject): void {
    const { code = null, message } = isRecord(event["error"]) ? event["error"] : event;
    this.response = { ...this.response, status: "failed", error: { code, message } };
  }

  #keep({ type, ...members }: JsonObject): void {
    const event = JSON.stringify({ type, sequence_number: this.next++, ...members });
    this.#keptCharacters += event.length;
    const { maxEvents, maxCharacters } = this.#keeping;
    this.#isKeeping &&= this.next <= maxEvents && this.#keptCharacters <= maxCharacters;
    if (!this.#isKeeping) return;
    this.#waiting.push(event);
    this.#waitingCharacters += event.length;
    this.#flushing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    // What one chunk brought is kept at once.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      this.#waitingCharacters = 0;
      this.#isKeeping &&= await this.#keeping.keep(events).catch(() => false);
      if (this.#wasFull && this.#waitingCharacters <= bufferedBytes / lowShare) {
        this.#wasFull = false;
        for (const { drained } of this.#watchers) drained?.();
      }
    }
    this.#flushing = undefined;
  }

  #end(whole: boolean): void {
    if (this.#over) return;
    this.#over = true;
    if (!whole) this.#ending.abort(new ClientGone("the response was cancelled"));
    for (const { closed } of this.#watchers) closed?.(whole);
  }
}
