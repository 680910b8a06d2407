/** Seconds by which a vendor's report may exceed the time by the clock. */
const maxReportExcessSeconds = 15;

/**
 * Duration of a session that its vendor bills by the second: as the vendor reported it, plus the time since its last
 * report. A report beyond the time by the clock is limited. Times are in ms, from one clock.
 */
export class SessionTime {
  #startedAt: number | undefined;
  #stoppedAt: number | undefined;
  #reportedSeconds = 0;
  #reportedAt = 0;
  #isFinal = false;
  #isCapped = false;

  /** True once the vendor has started the session. */
  get hasStarted(): boolean {
    return this.#startedAt !== undefined;
  }

  /** True while the duration grows. */
  get isRunning(): boolean {
    return this.hasStarted && this.#stoppedAt === undefined;
  }

  /** True if the vendor has reported the duration of the complete session. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  /** True if the last report was limited. */
  get isCapped(): boolean {
    return this.#isCapped;
  }

  /** Handles the start of the session. */
  start(nowMs: number): void {
    if (this.hasStarted) return;
    this.#startedAt = this.#reportedAt = nowMs;
  }

  /** Handles a report of the seconds since the start. `isFinal` is true for the report at the end of the session. */
  report(seconds: number | undefined, { isFinal, nowMs }: { readonly isFinal: boolean; readonly nowMs: number }): void {
    if (this.#isFinal) return;
    this.start(nowMs);
    if (seconds !== undefined) {
      const maxSeconds = this.#elapsedAt(nowMs) + maxReportExcessSeconds;
      this.#isCapped = seconds > maxSeconds;
      this.#reportedSeconds = Math.min(seconds, maxSeconds);
      this.#reportedAt = nowMs;
      this.#isFinal = isFinal;
    }
    if (isFinal) this.stop(nowMs);
  }

  /** Handles the end of the session without a report. */
  stop(nowMs: number): void {
    this.#stoppedAt ??= nowMs;
  }

  /** Returns the duration at a time, in seconds. */
  secondsAt(nowMs: number): number {
    if (!this.hasStarted || this.#isFinal) return this.#reportedSeconds;
    return this.#reportedSeconds + Math.max(0, this.#endBy(nowMs) - this.#reportedAt) / 1_000;
  }

  /** Returns the seconds to charge: those of the final report; without one, the counted seconds, rounded up. */
  chargedAt(nowMs: number): number {
    const seconds = this.secondsAt(nowMs);
    return this.#isFinal ? seconds : Math.ceil(seconds);
  }

  /** Returns the seconds since the start by the clock, whatever the vendor reported. */
  #elapsedAt(nowMs: number): number {
    return this.#startedAt === undefined ? 0 : Math.max(0, this.#endBy(nowMs) - this.#startedAt) / 1_000;
  }

  #endBy(nowMs: number): number {
    return Math.min(nowMs, this.#stoppedAt ?? nowMs);
  }
}
