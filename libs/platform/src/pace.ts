import { Failure } from "@modelgate/contracts";

/** Minimum speed of a body's arrival. */
export interface PaceLimits {
  /** Maximum silence while the body arrives. */
  readonly silenceMs: number;
  /** Maximum time for the whole body; absent: unlimited while it keeps its pace. */
  readonly totalMs?: number | undefined;
  /** Time after which the body must have arrived, on average, at the floor at least. */
  readonly graceMs: number;
  readonly floorBytesPerSecond: number;
}

/** Maximum pause between two checks of a body's pace. */
const maxCheckMs = 1_000;
/** Checks within the grace time. */
const checksPerGrace = 4;

/**
 * Times a body while it arrives: calls `late` once, with Failure request_timeout (408), when it is silent, takes too
 * long or arrives slower than the floor. The clock stops while `isHeld` returns true, as the reader does not take bytes
 * then. Dispose it when the body is complete.
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

  /** Counts bytes as the client sent them. */
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
