import { Failure } from "@modelgate/contracts";
import type { ClientEvent } from "@modelgate/wires/realtime";
import { messageOverheadBytes } from "./first-message.ts";

/** Limits of waiting events. */
export interface QueueLimits {
  /** Maximum response requests that may wait. */
  readonly waitingResponses: number;
  /** Bytes of waiting events above which reading from the client stops. */
  readonly bufferedBytes: number;
}

export interface QueueCallbacks {
  /** Called once per event, in order, before the event may be sent. May start a payment. */
  countEvent(event: ClientEvent): void;
  /** Returns true if the event may be sent to the vendor now, because money is reserved for it. */
  maySend(event: ClientEvent): boolean;
  deliver(event: ClientEvent): void;
  refuse(event: ClientEvent, failure: Failure): void;
  /** Called with true when reading from the client must stop, and with false when it may continue. */
  fullChanged(isFull: boolean): void;
}

/** Types of events that do not wait behind response requests, because they end a response. */
const priorityEvents: ReadonlySet<string | undefined> = new Set(["response.cancel"]);

/**
 * Queue of a client's events for the vendor. Events wait until money is reserved for the first of them, except a
 * cancellation, which is sent immediately.
 */
export class EventQueue {
  readonly #limits: QueueLimits;
  readonly #callbacks: QueueCallbacks;
  #waiting: ClientEvent[] = [];
  #bytes = 0;
  #waitingRequests = 0;
  /** True if the first waiting event was counted. */
  #isCounted = false;
  #isSending = false;
  #isFull = false;

  constructor(limits: QueueLimits, callbacks: QueueCallbacks) {
    this.#limits = limits;
    this.#callbacks = callbacks;
  }

  /** Sends a client's event, queues it, or refuses it if too many response requests wait. */
  add(event: ClientEvent): void {
    if (priorityEvents.has(event.type)) return this.#callbacks.deliver(event);
    if (event.type === "response.create") {
      const max = this.#limits.waitingResponses;
      if (this.#waitingRequests >= max) {
        const message = `${max} responses are already waiting for available balance; try again when one has finished.`;
        return this.#callbacks.refuse(event, new Failure("rate_limit_exceeded", message));
      }
      this.#waitingRequests++;
    }
    this.#waiting.push(event);
    this.#bytes += sizeOf(event);
    this.sendReady();
  }

  /** Sends waiting events in order, as far as they may be sent now. */
  sendReady(): void {
    // `deliver` may call this function again, because a sent event can permit the next one. The loop below sends it.
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let [first] = this.#waiting; first !== undefined && this.#maySend(first); [first] = this.#waiting) {
        this.#isCounted = false;
        this.#waiting.shift();
        this.#bytes -= sizeOf(first);
        if (first.type === "response.create") this.#waitingRequests--;
        this.#callbacks.deliver(first);
      }
    } finally {
      this.#isSending = false;
    }
    const isFull = this.#bytes > this.#limits.bufferedBytes;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.#callbacks.fullChanged(isFull);
  }

  clear(): void {
    this.#waiting = [];
    this.#bytes = 0;
    this.#waitingRequests = 0;
  }

  #maySend(event: ClientEvent): boolean {
    if (!this.#isCounted) {
      this.#isCounted = true;
      this.#callbacks.countEvent(event);
    }
    return this.#callbacks.maySend(event);
  }
}

function sizeOf({ message }: ClientEvent): number {
  return message.data.length + messageOverheadBytes;
}
