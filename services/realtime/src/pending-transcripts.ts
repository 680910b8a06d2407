import type { Transcriber } from "@modelgate/wires/realtime";

/** Maximum turns that wait for a transcript; above it, the oldest one is removed. */
const maxWaiting = 256;

/** Client turns that are being transcribed. The settings, and so the price, may change meanwhile. */
export class PendingTranscripts {
  readonly #transcribers = new Map<string, Transcriber>();

  get isPending(): boolean {
    return this.#transcribers.size > 0;
  }

  /** Adds a turn under its item id, if it has a transcriber. */
  add(item: string, transcriber: Transcriber | undefined): void {
    if (transcriber === undefined) return;
    const [oldest] = this.#transcribers.keys();
    if (this.#transcribers.size >= maxWaiting && oldest !== undefined) this.#transcribers.delete(oldest);
    this.#transcribers.set(item, transcriber);
  }

  /** Removes a turn whose transcript is complete or has failed. Returns its transcriber. */
  remove(item: string): Transcriber | undefined {
    const transcriber = this.#transcribers.get(item);
    this.#transcribers.delete(item);
    return transcriber;
  }
}
