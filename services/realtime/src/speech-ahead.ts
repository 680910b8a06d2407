/** Seconds by which speech may be ahead of real time only because of the network. */
const networkAheadSeconds = 5;
/** Minimum seconds of a turn. A vendor that detects turns needs some speech and half a second of silence. */
const secondsPerTurn = 2;

/** Measures how far a client's speech is ahead of real time. The vendor may answer it in many turns at once. */
export class SpeechAhead {
  #seconds = 0;
  #addedAt = 0;

  /** Counts audio that was sent. */
  addSpeech(seconds: number, nowMs: number): void {
    this.#seconds = Math.max(0, this.#seconds - (nowMs - this.#addedAt) / 1_000) + seconds;
    this.#addedAt = nowMs;
  }

  /**
   * Returns the number of turns that the vendor may answer before it reports the first one; 1 for speech in real time.
   */
  possibleTurns(nowMs: number): number {
    const ahead = this.#seconds - (nowMs - this.#addedAt) / 1_000;
    return ahead <= networkAheadSeconds ? 1 : Math.ceil(ahead / secondsPerTurn);
  }
}
