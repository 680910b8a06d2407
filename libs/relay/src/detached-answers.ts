import { detachedAnswerCount } from "./money/call-metrics.ts";

/** Maximum ms for which shutdown waits for answers whose clients have disconnected. */
const maxShutdownMs = 4_000;

/** Slot for one vendor answer that is read after its client disconnected. */
export interface DetachedSlot extends Disposable {
  /** Aborted when the time limit of the slot is reached. */
  readonly signal: AbortSignal;
}

/** Limits for vendor answers that are read after their clients disconnected. */
export interface DetachedLimits {
  readonly maxAnswers: number;
  /** Maximum ms for which each answer is read. */
  readonly ms: number;
}

/**
 * Vendor answers that are read although their clients have disconnected, because they report the usage. Disposal waits
 * for them for a limited time.
 */
export class DetachedAnswers implements AsyncDisposable {
  readonly #open = new Map<AbortController, NodeJS.Timeout>();
  readonly #limits: DetachedLimits;
  #onEmpty: (() => void) | undefined;

  constructor(limits: DetachedLimits) {
    this.#limits = limits;
  }

  /** Returns undefined if all slots are in use or the process is shutting down. */
  openSlot(): DetachedSlot | undefined {
    if (this.#open.size >= this.#limits.maxAnswers || this.#onEmpty !== undefined) return undefined;
    const controller = new AbortController();
    this.#open.set(
      controller,
      setTimeout(() => controller.abort(), this.#limits.ms),
    );
    this.#updateMetric();
    return { signal: controller.signal, [Symbol.dispose]: () => this.#release(controller) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty = resolve;
    if (this.#open.size === 0) return;
    const timer = setTimeout(() => {
      for (const controller of this.#open.keys()) controller.abort();
    }, maxShutdownMs);
    await promise;
    clearTimeout(timer);
  }

  #release(controller: AbortController): void {
    clearTimeout(this.#open.get(controller));
    this.#open.delete(controller);
    this.#updateMetric();
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  #updateMetric(): void {
    detachedAnswerCount.set(this.#open.size);
  }
}
