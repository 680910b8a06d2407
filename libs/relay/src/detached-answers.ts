import { leftAnswers } from "./money/call-metrics.ts";

/**
 * Maximum ms that shutdown waits for vendors whose clients have disconnected; after it the calls are charged their
 * certain usage.
 */
const endMs = 4_000;

/** Slot for one call whose vendor's answer is read after the client disconnected. */
export interface DetachedSeat extends Disposable {
  /** Aborted when the time limit of the slot is reached. */
  readonly signal: AbortSignal;
}

/** Limits of answers that are read after the client disconnected. */
export interface DetachedLimits {
  /** Maximum number at the same time. */
  readonly most: number;
  /** Maximum duration of each, in ms. */
  readonly ms: number;
}

/**
 * Calls of this process whose clients disconnected before the answer, and whose vendors' answers are still read because
 * they report the cost. Disposal waits for them for a limited time.
 */
export class DetachedAnswers implements AsyncDisposable {
  readonly #open = new Map<AbortController, NodeJS.Timeout>();
  readonly #limits: DetachedLimits;
  #emptied: (() => void) | undefined;

  constructor(limits: DetachedLimits) {
    this.#limits = limits;
  }

  /** Takes a slot; undefined if all are in use. */
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
