/** Maximum turns that wait for a transcript. The seconds of older ones are moved to the buffer. */
const maxTurns = 256;
/** Seconds of speech that a vendor may have heard and not yet reported. */
const unreportedSeconds = 10;

/** Seconds of a client's speech that may still be transcribed and cost money. */
export class UntranscribedSpeech {
  readonly #turns = new Map<string, number>();
  /** Seconds of each turn that the client has committed and the vendor has not confirmed yet, in order. */
  #unconfirmedTurns: number[] = [];
  #bufferedSeconds = 0;
  #itemSeconds = 0;
  #audioAt = 0;
  #isSpeaking = false;

  get seconds(): number {
    return [...this.#turns.values(), ...this.#unconfirmedTurns].reduce(
      (sum, each) => sum + each,
      this.#bufferedSeconds + this.#itemSeconds,
    );
  }

  /** Minimum number of turns of this speech. Some vendors charge by turn. */
  get turns(): number {
    return this.#turns.size + this.#unconfirmedTurns.length + (this.#bufferedSeconds + this.#itemSeconds > 0 ? 1 : 0);
  }

  /**
   * Counts audio that was sent at `nowMs`. A vendor that detects turns reports speech soon after it receives it. Older
   * audio that it has not reported is no longer counted, except the last `unreportedSeconds`.
   */
  addAudio(seconds: number, { detectsTurns, nowMs }: { readonly detectsTurns: boolean; readonly nowMs: number }): void {
    if (detectsTurns && !this.#isSpeaking) {
      const elapsedSeconds = Math.max(0, nowMs - this.#audioAt) / 1_000;
      this.#bufferedSeconds = Math.max(
        Math.min(this.#bufferedSeconds, unreportedSeconds),
        this.#bufferedSeconds - elapsedSeconds,
      );
    }
    this.#audioAt = nowMs;
    this.#bufferedSeconds += seconds;
  }

  /** Counts audio in a conversation item: a turn that the vendor does not report. */
  addItemAudio(seconds: number): void {
    this.#itemSeconds += seconds;
  }

  /** Handles the end of a response: audio items added before it are transcribed by now, or never will be. */
  responseEnded(): void {
    this.#itemSeconds = 0;
  }

  /** Handles the vendor's report that speech started. */
  speechStarted(): void {
    this.#isSpeaking = true;
  }

  /** Handles the client's request to commit a turn. Later input belongs to the next turn. */
  commitRequested(): void {
    if (this.#unconfirmedTurns.length >= maxTurns) return;
    this.#unconfirmedTurns.push(this.#bufferedSeconds);
    this.#bufferedSeconds = 0;
  }

  /** Handles the vendor's refusal of the oldest commit. Its input stays in the buffer. */
  commitRefused(): void {
    this.#bufferedSeconds += this.#unconfirmedTurns.shift() ?? 0;
  }

  /**
   * Handles the vendor's report that a turn is committed: the input that the client committed, or else the buffered
   * input.
   */
  turnCommitted(item: string): void {
    this.#isSpeaking = false;
    const ended = this.#unconfirmedTurns.shift();
    this.#turns.set(item, ended ?? this.#bufferedSeconds);
    if (ended === undefined) this.#bufferedSeconds = 0;
    const [oldest] = this.#turns;
    if (this.#turns.size <= maxTurns || oldest === undefined) return;
    this.#turns.delete(oldest[0]);
    this.#bufferedSeconds += oldest[1];
  }

  /** Handles the vendor's report that it discarded its input buffer. */
  bufferCleared(): void {
    this.#isSpeaking = false;
    this.#unconfirmedTurns = [];
    this.#bufferedSeconds = 0;
  }

  /** Handles the end of a transcript. Seconds that the vendor did not transcribe belong to the next turn. */
  transcriptEnded(item: string, reported?: number): void {
    const seconds = this.#turns.get(item) ?? 0;
    this.#turns.delete(item);
    if (reported !== undefined) this.#bufferedSeconds += Math.max(0, seconds - reported);
  }
}
