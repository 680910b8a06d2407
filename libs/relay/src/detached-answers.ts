import { leftAnswers } from "./money/call-metrics.ts";

/** Time for which the end of a process waits for vendors whose clients have gone; then the calls pay what is certain. */
const endMs = 4_000;

/** A slot for one call whose vendor is read on without a client. */
export interface DetachedSeat extends Disposable {
  /** Aborted when the vendor has had its time. */
  readonly signal: AbortSignal;
}

/** Bounds of answers that are read on without a client. */
export interface DetachedLimits {
  /** Maximum number at a time. */
  readonly most: number;
  /** Maximum time of each. */
  readonly ms: number;
}

/**
 * The calls of a process whose clients left before the answer, and whose vendors are read on, since the answer says what
 * it cost. Disposal waits for them for a bounded time.
 */
export class DetachedAnswers implements AsyncDisposable {
  readonly #open = new Map<AbortController, NodeJS.Timeout>();
  readonly #limits: DetachedLimits;
  #emptied: (() => void) | undefined;

  constructor(limits: DetachedLimits) {
    this.#limits = limits;
  }

  /** Takes a slot; undefined where all are taken. */
  take(): DetachedSeat | undefined {
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
    }, endMs);
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
