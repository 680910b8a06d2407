import { Failure } from "@modelgate/contracts";
import type { ClientEvent } from "@modelgate/wires/realtime";

/** Limits of waiting events. */
export interface QueueLimits {
  /** Maximum response requests that may wait. */
  readonly waitingResponses: number;
  /** Bytes of waiting events above which reading from the client stops. */
  readonly bufferedBytes: number;
}

/** Callbacks of a queue. */
export interface QueueCallbacks {
  /** Called once for each event, in order, before it may be sent: counts its cost, and may start a payment. */
  counted(event: ClientEvent): void;
  /** Returns true if an event may be sent to the vendor now, because money is reserved for it. */
  mayGo(event: ClientEvent): boolean;
  /** Sends the event to the vendor. */
  deliver(event: ClientEvent): void;
  /** Called for an event that is refused. */
  refuse(event: ClientEvent, failure: Failure): void;
  /** Called when the queue becomes full, which stops reading from the client, and when it has room again. */
  full(isFull: boolean): void;
}

/** Events that do not wait behind response requests, because they end a response. */
const overtaking: ReadonlySet<string | undefined> = new Set(["response.cancel"]);

/**
 * Queue of a client's events for the vendor. An event that makes the vendor work waits until money is reserved for it,
 * and all later events wait behind it, except the end of a response, which is sent immediately.
 */
export class EventQueue {
  readonly #limits: QueueLimits;
  readonly #events: QueueCallbacks;
  #waiting: ClientEvent[] = [];
  #bytes = 0;
  #responses = 0;
  #isCounted = false;
  #isGoing = false;
  #isFull = false;

  constructor(limits: QueueLimits, events: QueueCallbacks) {
    this.#limits = limits;
    this.#events = events;
  }

  /** Takes a client's event: sends it, queues it, or refuses it where too many response requests wait. */
  take(event: ClientEvent): void {
    if (overtaking.has(event.type)) return this.#events.deliver(event);
    if (event.type === "response.create") {
      const most = this.#limits.waitingResponses;
      if (this.#responses >= most) {
        const message = `${most} responses wait already until there is money for them; ask again when one is done.`;
        return this.#events.refuse(event, new Failure("rate_limit_exceeded", message));
      }
      this.#responses++;
    }
    this.#waiting.push(event);
    this.#bytes += event.message.data.length;
    this.go();
  }

  /** Sends the events that may be sent now. */
  go(): void {
    // A sent event may allow further events, and calls this again.
    if (this.#isGoing) return;
    this.#isGoing = true;
    try {
      for (let [first] = this.#waiting; first !== undefined && this.#isLetGo(first); [first] = this.#waiting) {
        this.#isCounted = false;
        this.#waiting.shift();
        this.#bytes -= first.message.data.length;
        if (first.type === "response.create") this.#responses--;
        this.#events.deliver(first);
      }
    } finally {
      this.#isGoing = false;
    }
    const isFull = this.#bytes > this.#limits.bufferedBytes;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.#events.full(isFull);
  }

  /** Removes all waiting events. */
  clear(): void {
    this.#waiting = [];
    this.#bytes = 0;
    this.#responses = 0;
  }

  #isLetGo(event: ClientEvent): boolean {
    if (!this.#isCounted) {
      this.#isCounted = true;
      this.#events.counted(event);
    }
    return this.#events.mayGo(event);
  }
}
