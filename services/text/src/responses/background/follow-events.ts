import { Failure } from "@modelgate/contracts";
import { gatewayFailureOf, type ServiceCall } from "@modelgate/platform";
import { eventStream } from "@modelgate/relay";
import type { ResponsesDeps } from "../deps.ts";
import type { BackgroundRef } from "./background-store.ts";
import { currentResponse } from "./current-response.ts";
import type { EventFormat } from "./event-format.ts";
import { isFinalEvent, sequenceOf, typeOf } from "./events.ts";

const eventsPerRead = 200;
/** Pauses between two reads in ms: while events arrive, and while none arrive. */
const [busyMs, idleMs] = [50, 500];
/**
 * Time in ms for which events are still sent after the gateway ends the call. In this time, the responses of a process
 * that stops fail, so that clients receive their final events.
 */
const lastEventsMs = 1_000;
/** Number of reads without events between two checks that the process of the response is alive. */
const readsPerCheck = 4;

/** Sends the events after the number `after` to the client. Throws Failure (400) if they are no longer stored. */
export async function followEvents(
  deps: Pick<ResponsesDeps, "backgroundStore" | "background" | "body" | "relay" | EventFormat["wire"]>,
  call: Pick<ServiceCall, "answer" | "caller" | "ending">,
  format: EventFormat,
  backgroundRef: BackgroundRef,
  after: number,
): Promise<void> {
  const { backgroundStore: store, background, relay } = deps;
  const { answer, caller } = call;
  if ((await store.countEvents(backgroundRef)) === 0)
    throw new Failure(
      "invalid_value",
      "The events of this response are no longer stored: retrieve it without stream.",
      {
        param: "stream",
      },
    );
  using client = new EventFollower(call, background.maxDurationMs);
  answer.begin(200, { "content-type": eventStream, "cache-control": "no-cache", "x-accel-buffering": "no" });
  let next = after + 1;
  let lastSent = after;
  let emptyReads = 0;
  let lastWriteAt = Date.now();
  while (!client.hasEnded) {
    let events = await store.events(backgroundRef, next, eventsPerRead);
    if (events.length === 0) {
      // If some events were not stored, the index of the final event is lower than its sequence number.
      const end = (await store.events(backgroundRef, -1, 1)).filter(isFinalEvent);
      if (end.some((event) => sequenceOf(event) <= lastSent)) return answer.end();
      events = end;
    }
    for (const event of events) {
      next++;
      lastSent = sequenceOf(event);
      await client.write(`event: ${typeOf(event)}\ndata: ${event}\n\n`);
      lastWriteAt = Date.now();
      if (isFinalEvent(event)) return answer.end();
    }
    emptyReads = events.length > 0 ? 0 : emptyReads + 1;
    if (emptyReads > 0 && emptyReads % readsPerCheck === 0 && !(await store.hasLease(backgroundRef))) {
      using memory = deps.body.budget.openHolding(caller);
      if ((await currentResponse(deps, format, backgroundRef, memory)) === undefined) break;
    }
    if (Date.now() - lastWriteAt > relay.limits.heartbeatMs) {
      await client.write(": keep-alive\n\n");
      lastWriteAt = Date.now();
    }
    if (events.length < eventsPerRead) await client.pause(emptyReads > 1 ? idleMs : busyMs);
  }
  // The client sees an incomplete answer, and can request the events after the last one that it received.
  answer.destroy();
}

/**
 * Connection of a client that follows stored events. It ends when the client disconnects, when the maximum duration has
 * passed, or `lastEventsMs` after the gateway ends the call.
 */
class EventFollower implements Disposable {
  readonly #answer: ServiceCall["answer"];
  readonly #ending: AbortSignal;
  readonly #watch: Disposable;
  #until: number;
  #wake: (() => void) | undefined;
  readonly #onEnding = (): void => {
    if (gatewayFailureOf(this.#ending) !== undefined) this.#until = Math.min(this.#until, Date.now() + lastEventsMs);
  };

  constructor({ answer, ending }: Pick<ServiceCall, "answer" | "ending">, maxDurationMs: number) {
    this.#answer = answer;
    this.#ending = ending;
    this.#until = answer.isClosed ? 0 : Date.now() + maxDurationMs;
    const stop = (): void => {
      this.#until = 0;
      this.#wake?.();
    };
    this.#watch = answer.watch({ drained: () => this.#wake?.(), closed: stop });
    ending.addEventListener("abort", this.#onEnding);
    this.#onEnding();
  }

  get hasEnded(): boolean {
    return Date.now() >= this.#until;
  }

  /** Writes to the client, and resolves when more can be written. */
  async write(text: string): Promise<void> {
    if (this.hasEnded || this.#answer.write(text)) return;
    await new Promise<void>((resolve) => void (this.#wake = resolve));
  }

  async pause(ms: number): Promise<void> {
    if (this.hasEnded) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  [Symbol.dispose](): void {
    this.#ending.removeEventListener("abort", this.#onEnding);
    this.#watch[Symbol.dispose]();
  }
}
