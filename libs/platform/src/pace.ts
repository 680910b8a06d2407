import { Failure } from "@modelgate/contracts";

/** Limits for the time in which a body arrives. */
export interface PaceLimits {
  /** Maximum ms for which the client may send nothing. */
  readonly silenceMs: number;
  /** Maximum ms until the body is complete; undefined if only the speed is limited. */
  readonly totalMs?: number | undefined;
  /** Time in ms after which the average speed must be at least `floorBytesPerSecond`. */
  readonly graceMs: number;
  readonly floorBytesPerSecond: number;
}

const maxCheckMs = 1_000;
const checksPerGrace = 4;

/**
 * Calls `late` with Failure request_timeout (408) if a body arrives too slowly. Time in which `isBlocked` returns true
 * does not count as slow. Dispose it when the body is complete.
 */
export class Pace implements Disposable {
  readonly #limits: PaceLimits;
  readonly #late: (failure: Failure) => void;
  readonly #isBlocked: () => boolean;
  #timer: NodeJS.Timeout;
  readonly #startedAt = performance.now();
  #checkedAt = this.#startedAt;
  /** Time at which the client last sent bytes, or the reader was last blocked. */
  #lastSentAt = this.#startedAt;
  #blockedMs = 0;
  #bytes = 0;

  constructor(limits: PaceLimits, late: (failure: Failure) => void, isBlocked: () => boolean = () => false) {
    const { silenceMs, graceMs, totalMs = Infinity } = limits;
    this.#limits = limits;
    this.#late = late;
    this.#isBlocked = isBlocked;
    this.#timer = setTimeout(() => this.#check(), Math.min(silenceMs, graceMs, totalMs));
  }

  /** Adds the number of bytes that arrived, before decompression. */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.#lastSentAt = performance.now();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const { silenceMs, totalMs = Infinity, graceMs, floorBytesPerSecond } = this.#limits;
    const now = performance.now();
    if (this.#isBlocked()) {
      this.#blockedMs += now - this.#checkedAt;
      this.#lastSentAt = now;
    }
    this.#checkedAt = now;
    const silenceLeftMs = silenceMs - (now - this.#lastSentAt);
    if (silenceLeftMs <= 0) return this.#late(tooSlow(`The body stalled for ${silenceMs} ms.`));
    const leftMs = totalMs - (now - this.#startedAt);
    if (leftMs <= 0) return this.#late(tooSlow(`The body was not complete after ${totalMs} ms.`));
    const speedCheckedMs = now - this.#startedAt - this.#blockedMs - graceMs;
    if (speedCheckedMs * floorBytesPerSecond > this.#bytes * 1_000)
      return this.#late(
        tooSlow(`The body arrived at less than ${floorBytesPerSecond} bytes per second, after ${graceMs} ms of grace.`),
      );
    const pauseMs = Math.min(maxCheckMs, graceMs / checksPerGrace, leftMs, silenceLeftMs);
    this.#timer = setTimeout(() => this.#check(), Math.max(1, pauseMs));
  }
}

function tooSlow(message: string): Failure {
  return new Failure("request_timeout", message);
}
