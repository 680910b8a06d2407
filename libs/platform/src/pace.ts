import { Failure } from "@modelgate/contracts";

/** Limits of a body's arrival. */
export interface PaceLimits {
  /** Maximum silence while the body arrives, in ms. */
  readonly silenceMs: number;
  /** Maximum ms for the complete body; absent: unlimited if it is fast enough. */
  readonly totalMs?: number | undefined;
  /** Ms after which the average speed of the body must be at least the minimum. */
  readonly graceMs: number;
  readonly floorBytesPerSecond: number;
}

/** Maximum ms between two checks of a body's speed. */
const maxCheckMs = 1_000;
/** Number of checks within the grace time. */
const checksPerGrace = 4;

/**
 * Times a body while it arrives. Calls `late` once, with Failure request_timeout (408), if the body is silent, takes
 * too long or arrives below the minimum speed. The clock stops while `isHeld` returns true, because the reader then
 * accepts no bytes. Dispose it when the body is complete.
 */
export class Pace implements Disposable {
  readonly #limits: PaceLimits;
  readonly #late: (failure: Failure) => void;
  readonly #isHeld: () => boolean;
  readonly #silence: NodeJS.Timeout;
  #next: NodeJS.Timeout;
  readonly #startedAt = performance.now();
  #checkedAt = this.#startedAt;
  #heldMs = 0;
  #bytes = 0;

  constructor(limits: PaceLimits, late: (failure: Failure) => void, isHeld: () => boolean = () => false) {
    this.#limits = limits;
    this.#late = late;
    this.#isHeld = isHeld;
    this.#silence = setTimeout(() => this.#fellSilent(), limits.silenceMs);
    this.#next = setTimeout(() => this.#pause(), Math.min(limits.graceMs, limits.totalMs ?? Infinity));
  }

  /** Counts bytes that the client sent, before decompression. */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.#silence.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#next);
  }

  #fellSilent(): void {
    if (this.#isHeld()) this.#silence.refresh();
    else this.#late(late(`The body fell silent for ${this.#limits.silenceMs} ms.`));
  }

  #pause(): void {
    const { totalMs = Infinity, graceMs, floorBytesPerSecond } = this.#limits;
    const now = performance.now();
    if (this.#isHeld()) this.#heldMs += now - this.#checkedAt;
    this.#checkedAt = now;
    const leftMs = totalMs - (now - this.#startedAt);
    if (leftMs <= 0) return this.#late(late(`The body was not whole after ${totalMs} ms.`));
    const timedMs = now - this.#startedAt - this.#heldMs - graceMs;
    if (timedMs * floorBytesPerSecond > this.#bytes * 1_000)
      return this.#late(
        late(`The body arrived at less than ${floorBytesPerSecond} bytes a second, after ${graceMs} ms of grace.`),
      );
    const pause = Math.min(maxCheckMs, graceMs / checksPerGrace, leftMs);
    this.#next = setTimeout(() => this.#pause(), Math.max(1, pause));
  }
}

function late(message: string): Failure {
  return new Failure("request_timeout", message);
}
