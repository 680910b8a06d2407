import { Failure } from "@modelgate/contracts";
import type { TextEvent } from "./answer.ts";
import { replayPart } from "./replay.ts";

/** Characters that may wait while another part is open; beyond it the stream fails as `upstream_error`. */
export const mostWaiting = 8 * 2 ** 20;

type PartEvent = Extract<TextEvent, { readonly part: number }>;

/**
 * Puts interleaved parts one after another, for wires whose parts may not overlap: events of a later part wait until
 * the open one ends. A part that came whole but has text is opened, filled and closed. All choices but the first are
 * left out: these wires have one answer.
 */
export class OneAtATime {
  #open: number | undefined;
  #characters = 0;
  readonly #waiting = new Map<number, PartEvent[]>();

  /** The events that may be written now. */
  take(event: TextEvent): readonly TextEvent[] {
    if ("choice" in event && event.choice !== 0) return [];
    if ("part" in event) return this.#takePart(event);
    return event.type === "finish" ? [...this.#flush(), event] : [event];
  }

  #takePart(event: PartEvent): readonly TextEvent[] {
    if (event.type === "part-whole") {
      const events = replayPart(event.whole, event.choice, event.part);
      if (events.length > 1) return events.flatMap((each) => this.take(each));
    }
    if (this.#open !== undefined && this.#open !== event.part) {
      this.#wait(event);
      return [];
    }
    if (event.type === "part-start") this.#open = event.part;
    if (event.type !== "part-end") return [event];
    this.#open = undefined;
    return [event, ...this.#release()];
  }

  /** What waited, until one of the waiting parts is open itself. */
  #release(): readonly TextEvent[] {
    const released: TextEvent[] = [];
    for (const [part, events] of this.#waiting) {
      this.#waiting.delete(part);
      for (const event of events) released.push(event);
      if (events.at(-1)?.type === "part-end" || events[0]?.type === "part-whole") continue;
      this.#open = part;
      break;
    }
    if (this.#waiting.size === 0) this.#characters = 0;
    return released;
  }

  /** Everything, at the end: a reader closes its parts before `finish`, so nothing is open by now. */
  #flush(): readonly TextEvent[] {
    const events = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return events;
  }

  #wait(event: PartEvent): void {
    if (event.type === "part-delta") this.#characters += event.text.length + 1;
    if (this.#characters > mostWaiting)
      throw new Failure("upstream_error", "Too much of the answer is waiting for one part.");
    const events = this.#waiting.get(event.part);
    if (events === undefined) this.#waiting.set(event.part, [event]);
    else events.push(event);
  }
}
