/** Maximum turns that wait for a transcript. The seconds of older ones are moved to the buffer. */
const maxTurns = 256;
/** Seconds of speech that a vendor may have heard and not yet reported. */
const unreportedSeconds = 10;

/** Seconds of a client's speech that may still be transcribed and cost money. */
export class UntranscribedSpeech {
  readonly #turns = new Map<string, number>();
  /** Seconds of each turn that the client has committed and the vendor has not confirmed yet, in order. */
  #ending: number[] = [];
  #buffered = 0;
  #added = 0;
  #heardAt = 0;
  #speaking = false;

  get seconds(): number {
    return [...this.#turns.values(), ...this.#ending].reduce((sum, each) => sum + each, this.#buffered + this.#added);
  }

  /** Minimum number of turns of this speech. Some vendors charge by turn. */
  get turns(): number {
    return this.#turns.size + this.#ending.length + (this.#buffered + this.#added > 0 ? 1 : 0);
  }

  /**
   * Counts audio that was sent at `nowMs`. Of older audio that the vendor has not reported, only the last seconds may
   * become a turn.
   */
  heard(seconds: number, { detectsTurns, nowMs }: { readonly detectsTurns: boolean; readonly nowMs: number }): void {
    if (detectsTurns && !this.#speaking) {
      const heard = Math.max(0, nowMs - this.#heardAt) / 1_000;
      this.#buffered = Math.max(Math.min(this.#buffered, unreportedSeconds), this.#buffered - heard);
    }
    this.#heardAt = nowMs;
    this.#buffered += seconds;
  }

  /** Counts audio in a conversation item: a turn that the vendor does not report. */
  added(seconds: number): void {
    this.#added += seconds;
  }

  /** Handles the end of a response: audio items added before it are transcribed by now, or never will be. */
  answered(): void {
    this.#added = 0;
  }

  /** Handles the vendor's report that speech started. */
  began(): void {
    this.#speaking = true;
  }

  /** Handles the client's commit of a turn. Later input belongs to the next turn. */
  ending(): void {
    if (this.#ending.length >= maxTurns) return;
    this.#ending.push(this.#buffered);
    this.#buffered = 0;
  }

  /** Handles the vendor's report of a new turn: the input that the client committed, or else the buffered input. */
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

  /** Handles the vendor's report that it discarded its input buffer. */
  cleared(): void {
    this.#speaking = false;
    this.#ending = [];
    this.#buffered = 0;
  }

  /** Handles the end of a transcript. Seconds that the vendor did not transcribe belong to the next turn. */
  ended(item: string, reported?: number): void {
    const seconds = this.#turns.get(item) ?? 0;
    this.#turns.delete(item);
    if (reported !== undefined) this.#buffered += Math.max(0, seconds - reported);
  }
}
