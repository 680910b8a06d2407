/** Turns that are remembered while they wait to be written down; the oldest of more joins the speech without a turn. */
const maxTurns = 256;
/** Speech that a vendor has heard and not reported yet. */
const unreportedSeconds = 10;

/**
 * Seconds of a client's speech that may still be written down, and cost something: those of turns that were committed,
 * and those in the vendor's input buffer.
 */
export class Untranscribed {
  readonly #turns = new Map<string, number>();
  /** Seconds of each turn that the client has committed and the vendor has not yet given an item id, in order. */
  #ending: number[] = [];
  #buffered = 0;
  #added = 0;
  #heardAt = 0;
  #speaking = false;

  get seconds(): number {
    return [...this.#turns.values(), ...this.#ending].reduce((sum, each) => sum + each, this.#buffered + this.#added);
  }

  /** Turns that they make, at least: some vendors charge by the turn. */
  get turns(): number {
    return this.#turns.size + this.#ending.length + (this.#buffered + this.#added > 0 ? 1 : 0);
  }

  /**
   * Samples were sent, at `nowMs`. A vendor that finds turns by itself reports speech as it hears it: of what it has had
   * the time to hear without reporting any, only the last seconds may still become a turn.
   */
  heard(seconds: number, { detectsTurns, nowMs }: { readonly detectsTurns: boolean; readonly nowMs: number }): void {
    if (detectsTurns && !this.#speaking) {
      const heard = Math.max(0, nowMs - this.#heardAt) / 1_000;
      this.#buffered = Math.max(Math.min(this.#buffered, unreportedSeconds), this.#buffered - heard);
    }
    this.#heardAt = nowMs;
    this.#buffered += seconds;
  }

  /** An item with samples was made: a turn of its own, without the vendor's word. */
  added(seconds: number): void {
    this.#added += seconds;
  }

  /** A response is done: what was added before it is written down by now, or will not be. */
  answered(): void {
    this.#added = 0;
  }

  /** The vendor hears the client speak. */
  began(): void {
    this.#speaking = true;
  }

  /** The client ends a turn: later input belongs to the next one. */
  ending(): void {
    if (this.#ending.length >= maxTurns) return;
    this.#ending.push(this.#buffered);
    this.#buffered = 0;
  }

  /** A turn began: with the input that the client committed, or else with what is buffered. */
  committed(item: string): void {
    this.#speaking = false;
    const ended = this.#ending.shift();
    this.#turns.set(item, ended ?? this.#buffered);
    if (ended === undefined) this.#buffered = 0;
    const [oldest] = this.#turns;
    if (this.#turns.size <= maxTurns || oldest === undefined) return;
    this.#turns.delete(oldest[0]);
    this.#buffered += oldest[1];
  }

  /** The vendor discarded its buffer. */
  cleared(): void {
    this.#speaking = false;
    this.#ending = [];
    this.#buffered = 0;
  }

  /**
   * A turn was written down, or will not be. What is reported to be less than the turn was sent while the vendor made it,
   * and belongs to the next.
   */
  ended(item: string, reported?: number): void {
    const seconds = this.#turns.get(item) ?? 0;
    this.#turns.delete(item);
    if (reported !== undefined) this.#buffered += Math.max(0, seconds - reported);
  }
}
