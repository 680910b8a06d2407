/** Maximum seconds by which a vendor's report may exceed the clock and the client's sound. */
const maxReportExcessSeconds = 15;

/** Circumstances of a vendor's report of the seconds since the start of a session. */
export interface TimeReport {
  /** True for the report at the end of the session. */
  readonly isFinal: boolean;
  readonly nowMs: number;
  /** Seconds of sound that the client has sent. They may be more than the time by the clock. */
  readonly soundSeconds: number;
}

/** Duration of a session that its vendor bills by the second. Times are in ms. */
export class SessionTime {
  readonly #startedAt: number;
  #stoppedAt: number | undefined;
  #reportedSeconds = 0;
  #reportedAt: number;
  #isFinal = false;
  #isCapped = false;

  constructor(startedAt: number) {
    this.#startedAt = this.#reportedAt = startedAt;
  }

  /** True while the duration grows. */
  get isRunning(): boolean {
    return this.#stoppedAt === undefined;
  }

  /** True if the vendor has reported the duration of the complete session. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  /** True if the last report was reduced to the maximum. */
  get isCapped(): boolean {
    return this.#isCapped;
  }

  /** Handles a report of the seconds since the start. */
  report(seconds: number | undefined, { isFinal, nowMs, soundSeconds }: TimeReport): void {
    if (this.#isFinal) return;
    if (seconds !== undefined) {
      const elapsedSeconds = (this.#endBy(nowMs) - this.#startedAt) / 1_000;
      // The vendor may report more than the elapsed time only if the client has sent more sound than that.
      const maxSeconds = Math.max(elapsedSeconds, soundSeconds) + maxReportExcessSeconds;
      this.#isCapped = seconds > maxSeconds;
      this.#reportedSeconds = Math.min(seconds, maxSeconds);
      this.#reportedAt = nowMs;
      this.#isFinal = isFinal;
    }
    if (isFinal) this.stop(nowMs);
  }

  /** Stops the growth of the duration, unless a final report has stopped it. */
  stop(nowMs: number): void {
    this.#stoppedAt ??= nowMs;
  }

  /** Returns the duration at a time, in seconds. */
  secondsAt(nowMs: number): number {
    if (this.#isFinal) return this.#reportedSeconds;
    return this.#reportedSeconds + Math.max(0, this.#endBy(nowMs) - this.#reportedAt) / 1_000;
  }

  /** Returns the seconds to charge. Without a final report they are rounded up. */
  chargedAt(nowMs: number): number {
    const seconds = this.secondsAt(nowMs);
    return this.#isFinal ? seconds : Math.ceil(seconds);
  }

  #endBy(nowMs: number): number {
    return Math.min(nowMs, this.#stoppedAt ?? nowMs);
  }
}
