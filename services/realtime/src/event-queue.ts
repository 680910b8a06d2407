import { Failure } from "@modelgate/contracts";
import type { ClientEvent } from "@modelgate/wires/realtime";

/** Bounds of what waits. */
export interface QueueLimits {
  /** Requests for a response. */
  readonly waitingResponses: number;
  /** Bytes of all events, beyond which the client is not read on. */
  readonly bufferedBytes: number;
}

/** Callbacks of a queue. */
export interface QueueCallbacks {
  /** Called once for each event, in order, before it may go: what it costs is counted, and payment may begin. */
  counted(event: ClientEvent): void;
  /** Returns true if an event may go to the vendor now: money is held for its cost. */
  mayGo(event: ClientEvent): boolean;
  /** The event goes to the vendor. */
  deliver(event: ClientEvent): void;
  /** The event goes nowhere. */
  refuse(event: ClientEvent, failure: Failure): void;
  /** More waits than may, or no longer: the client is not to be read on, or is again. */
  full(isFull: boolean): void;
}

/** A client that ends a response does not wait behind requests for others. */
const overtaking: ReadonlySet<string | undefined> = new Set(["response.cancel"]);

/**
 * A client's events on their way to the vendor. Each that makes the vendor work waits until money is held for that, and
 * all after it wait behind it in their order; except the end of a response, which goes at once.
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

  /** Takes a client's event: it goes now, waits, or is refused where too many responses wait. */
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
    // What goes may change what may go, and then asks again.
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

  /** Forgets what waits. */
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
