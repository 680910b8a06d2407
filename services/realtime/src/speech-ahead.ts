/** Speech that comes this much earlier than it could be spoken is what networks do, seconds. */
const usualAheadSeconds = 5;
/** A vendor that finds turns by itself needs some speech, and half a second of silence, for each. */
const secondsPerTurn = 2;

/**
 * Time by which a client's speech is ahead of real time. A vendor that finds turns by itself answers each of them: a
 * recording that is sent at once may be many turns before the first is reported.
 */
export class SpeechAhead {
  #seconds = 0;
  #heardAt = 0;

  /** Samples were sent. */
  heard(seconds: number, nowMs: number): void {
    this.#seconds = Math.max(0, this.#seconds - (nowMs - this.#heardAt) / 1_000) + seconds;
    this.#heardAt = nowMs;
  }

  /** Turns that the vendor may answer before it reports one; 1 for speech that comes as it is spoken. */
  turns(nowMs: number): number {
    const ahead = this.#seconds - (nowMs - this.#heardAt) / 1_000;
    return ahead <= usualAheadSeconds ? 1 : Math.ceil(ahead / secondsPerTurn);
  }
}
