/** Seconds by which speech may come early because of the network. */
const usualAheadSeconds = 5;
/** Minimum seconds of a turn: a vendor that detects turns needs some speech and half a second of silence. */
const secondsPerTurn = 2;

/**
 * Measures how far a client's speech is ahead of real time. A vendor that detects turns answers each of them: a
 * recording that is sent in one piece may contain many turns before the first is reported.
 */
export class SpeechAhead {
  #seconds = 0;
  #heardAt = 0;

  /** Counts audio that was sent. */
  heard(seconds: number, nowMs: number): void {
    this.#seconds = Math.max(0, this.#seconds - (nowMs - this.#heardAt) / 1_000) + seconds;
    this.#heardAt = nowMs;
  }

  /** Returns the number of turns that the vendor may answer before it reports one; 1 for speech in real time. */
  turns(nowMs: number): number {
    const ahead = this.#seconds - (nowMs - this.#heardAt) / 1_000;
    return ahead <= usualAheadSeconds ? 1 : Math.ceil(ahead / secondsPerTurn);
  }
}
