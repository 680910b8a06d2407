import { leftAnswers } from "../money/call-metrics.ts";

/** What of the end of a process is left to vendors whose clients have gone; then the calls pay what is certain. */
const atTheEndMs = 4_000;

/** A slot for one call whose vendor is heard out. */
export interface HeardOutSeat extends Disposable {
  /** Aborted when the vendor has had its time. */
  readonly signal: AbortSignal;
}

/**
 * The calls of a process whose clients left before the answer, and whose vendors are still listened to, since the answer
 * says what it cost: so many at a time, each for so long. Disposal waits for them, and not for long.
 */
export class HeardOut implements AsyncDisposable {
  readonly #open = new Map<AbortController, NodeJS.Timeout>();
  readonly #limits: HeardOutLimits;
  #emptied: (() => void) | undefined;

  constructor(limits: HeardOutLimits) {
    this.#limits = limits;
  }

  /** A slot; undefined where all are taken. */
  take(): HeardOutSeat | undefined {
    if (this.#open.size >= this.#limits.most || this.#emptied !== undefined) return undefined;
    const controller = new AbortController();
    this.#open.set(
      controller,
      setTimeout(() => controller.abort(), this.#limits.ms),
    );
    this.#show();
    return { signal: controller.signal, [Symbol.dispose]: () => this.#free(controller) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    if (this.#open.size === 0) return;
    const timer = setTimeout(() => {
      for (const controller of this.#open.keys()) controller.abort();
    }, atTheEndMs);
    await promise;
    clearTimeout(timer);
  }

  #free(controller: AbortController): void {
    clearTimeout(this.#open.get(controller));
    this.#open.delete(controller);
    this.#show();
    if (this.#open.size === 0) this.#emptied?.();
  }

  #show(): void {
    leftAnswers.set(this.#open.size);
  }
}

/** How many vendors are heard out at a time, and for how long each. */
export interface HeardOutLimits {
  readonly most: number;
  readonly ms: number;
}
