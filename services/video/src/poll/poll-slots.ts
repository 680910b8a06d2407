/** Limits the number of polls that a process runs at the same time. All rounds of a poller share it. */
export class PollSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** `maxSlots` is the number of slots, at least one. */
  constructor(maxSlots: number) {
    this.#free = maxSlots;
  }

  /** Resolves with a slot, in the order of the calls. Dispose the slot to release it. */
  async take(): Promise<Disposable> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { [Symbol.dispose]: () => this.#release() };
  }

  /** Resolves when a slot is free. The slot is not occupied. */
  async vacancy(): Promise<void> {
    using _slot = await this.take();
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
