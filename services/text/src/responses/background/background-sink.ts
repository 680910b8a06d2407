import { asFailure, Failure } from "@modelgate/contracts";
import { ClientDisconnected, type AnswerSink, type Holding, type SinkWatcher } from "@modelgate/platform";
import { parseRecord } from "@modelgate/formats/json";
import { eventStreamFraming } from "@modelgate/formats/sse";
import type { JsonObject } from "@modelgate/wires/text";
import type { EventFormat, FollowedObject } from "./event-format.ts";

/** Maximum characters of events that wait to be stored. Above it, reading from the vendor is paused. */
const maxWaitingCharacters = 1024 * 1024;
/** Reading is resumed when the waiting characters have fallen to the maximum divided by this number. */
const resumeDivisor = 4;

/** The function that stores events, with its limits. */
export interface EventStorage {
  /** Stores events. It is not called again after it rejects or resolves with false. */
  readonly storeEvents: (events: readonly string[]) => Promise<boolean>;
  /** Maximum number of events before the final one. */
  readonly maxEvents: number;
  readonly maxCharacters: number;
  /** Sequence number of the first event that the sink stores. */
  readonly firstNumber: number;
  readonly format: EventFormat;
  /** Fields to set in the object that the vendor reports. */
  readonly patch: JsonObject;
  /** Part of the memory budget for events that must stay in memory. */
  readonly memory: Pick<Holding, "add">;
  /** Maximum bytes of the events that stay in memory. */
  readonly maxHeldBytes: number;
}

/**
 * Sink of a background response. It stores the events in batches, without the final event: the response must be stored
 * first.
 */
export class BackgroundSink implements AnswerSink {
  /** Sequence number of the next event. */
  next: number;
  readonly #storage: EventStorage;
  readonly #followed: FollowedObject;
  readonly #frames = eventStreamFraming.splitter();
  readonly #watchers = new Set<SinkWatcher>();
  readonly #ending = new AbortController();
  #waiting: string[] = [];
  #waitingCharacters = 0;
  #storedCharacters = 0;
  #isStoring = true;
  #heldBytes = 0;
  #flushing: Promise<void> | undefined;
  #begun = false;
  #isEnding = false;
  #hasEnded = false;
  #wasFull = false;

  constructor(storage: EventStorage) {
    this.#storage = storage;
    this.#followed = storage.format.follow(storage.patch);
    this.next = storage.firstNumber;
  }

  /** Returns the latest state of the response; undefined before an event has reported it. */
  get response(): JsonObject | undefined {
    return this.#followed.object;
  }

  /** Returns the signal that is aborted if the response is cancelled or interrupted. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get isHeadSent(): boolean {
    return this.#begun;
  }

  get isClosed(): boolean {
    return this.#hasEnded || this.#isEnding;
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
    for (const frame of this.#frames.push(Buffer.from(piece))) this.#addFrame(frame);
    this.#wasFull ||= this.#waitingCharacters > maxWaitingCharacters;
    return !this.#wasFull;
  }

  end(last?: Buffer | string): void {
    if (this.isClosed) return;
    if (last !== undefined) this.write(last);
    const rest = this.#frames.end();
    if (rest.length > 0) this.#addFrame(rest);
    // The caller of `end` does not expect a watcher to be called before `end` returns.
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

  cancel(): void {
    if (!this.#isEnding) this.#end(false);
  }

  /** Ends the response early with a failure. */
  interrupt(failure: Failure): void {
    if (!this.isClosed) this.#ending.abort(failure);
  }

  /** Resolves when all events so far are stored, or storing them has failed. */
  async flushed(): Promise<void> {
    await this.#flushing;
  }

  #addFrame(frame: Buffer): void {
    const data = eventStreamFraming.parse(frame)?.data;
    const event = data === undefined ? undefined : parseRecord(data);
    if (event === undefined) return; // a heartbeat, or the end mark of some vendors' streams
    if (!this.#ending.signal.aborted) this.#hold(this.#followed.memoryBytes(frame.length));
    const storedEvent = this.#followed.read(event);
    if (storedEvent !== undefined) this.#queueEvent(storedEvent);
  }

  /** Reserves memory for an event. Ends the response if there is not enough. */
  #hold(bytes: number): void {
    if (bytes === 0) return;
    this.#heldBytes += bytes;
    const { maxHeldBytes, memory } = this.#storage;
    try {
      if (this.#heldBytes > maxHeldBytes)
        throw new Failure(
          "answer_too_large",
          `The answer is larger than ${maxHeldBytes} bytes, the maximum that is stored.`,
        );
      memory.add(bytes);
    } catch (error) {
      this.interrupt(asFailure(error));
    }
  }

  #queueEvent(json: JsonObject): void {
    const event = this.#storage.format.renderNumbered(json, this.next++);
    this.#storedCharacters += event.length;
    const { maxEvents, maxCharacters } = this.#storage;
    this.#isStoring &&= this.next <= maxEvents && this.#storedCharacters <= maxCharacters;
    if (!this.#isStoring) return;
    this.#waiting.push(event);
    this.#waitingCharacters += event.length;
    this.#flushing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    // Waits for all events of the current chunk, so that they are stored together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      this.#waitingCharacters = 0;
      this.#isStoring &&= await this.#storage.storeEvents(events).catch(() => false);
      if (this.#wasFull && this.#waitingCharacters <= maxWaitingCharacters / resumeDivisor) {
        this.#wasFull = false;
        for (const { drained } of this.#watchers) drained?.();
      }
    }
    this.#flushing = undefined;
  }

  #end(isComplete: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (!isComplete) this.#ending.abort(new ClientDisconnected("the response was cancelled"));
    for (const { closed } of this.#watchers) closed?.(isComplete);
  }
}
