/**
 * Limits the number of polls that a process runs at the same time, in total and per channel. All rounds of a poller
 * share one object of this class.
 */
export class PollSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #maxSlots: number;
  /** Running polls of each channel, and of all channels. */
  readonly #polls = new Map<string, number>();
  #allPolls = 0;

  /** `maxSlots` is the number of slots, at least one. */
  constructor(maxSlots: number) {
    this.#free = maxSlots;
    this.#maxSlots = maxSlots;
  }

  /** Resolves with a slot, in the order of the calls. Dispose the slot to release it. */
  async take(): Promise<Disposable> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { [Symbol.dispose]: () => this.#release() };
  }

  /**
   * Counts a poll of a channel until the returned object is disposed. Returns undefined if the channel already has as
   * many polls as the number of free slots. A channel alone can therefore use about half of the slots, and polls of a
   * vendor that does not answer leave slots for other channels.
   */
  pollOf(channelId: string): Disposable | undefined {
    const polls = this.#polls.get(channelId) ?? 0;
    if (polls >= this.#maxSlots - this.#allPolls) return undefined;
    this.#polls.set(channelId, polls + 1);
    this.#allPolls++;
    return { [Symbol.dispose]: () => this.#endPoll(channelId) };
  }

  #endPoll(channelId: string): void {
    this.#allPolls--;
    const left = (this.#polls.get(channelId) ?? 0) - 1;
    if (left > 0) this.#polls.set(channelId, left);
    else this.#polls.delete(channelId);
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
