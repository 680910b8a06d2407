/** Limits the number of polls that a process runs at the same time, in total and per channel. */
export class PollSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #maxSlots: number;
  /** Running polls of each channel. */
  readonly #polls = new Map<string, number>();
  #pollCount = 0;

  /** `maxSlots` is the number of slots, at least one. */
  constructor(maxSlots: number) {
    this.#free = maxSlots;
    this.#maxSlots = maxSlots;
  }

  /** Resolves with a slot, in the order of the calls. Dispose the slot to release it. */
  async takeSlot(): Promise<Disposable> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { [Symbol.dispose]: () => this.#release() };
  }

  /**
   * Counts a poll of a channel until the returned object is disposed. Undefined if the channel has as many polls as
   * there are unused slots, so that a vendor that does not answer cannot use all slots.
   */
  countPoll(channelId: string): Disposable | undefined {
    const polls = this.#polls.get(channelId) ?? 0;
    if (polls >= this.#maxSlots - this.#pollCount) return undefined;
    this.#polls.set(channelId, polls + 1);
    this.#pollCount++;
    return { [Symbol.dispose]: () => this.#endPoll(channelId) };
  }

  #endPoll(channelId: string): void {
    this.#pollCount--;
    const left = (this.#polls.get(channelId) ?? 0) - 1;
    if (left > 0) this.#polls.set(channelId, left);
    else this.#polls.delete(channelId);
  }

  /** Resolves when a slot is free. The slot is not occupied. */
  async waitForFreeSlot(): Promise<void> {
    using _slot = await this.takeSlot();
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
