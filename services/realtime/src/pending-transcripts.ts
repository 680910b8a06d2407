import type { Transcriber } from "@modelgate/wires/realtime";

/** Maximum turns that wait for a transcript; above it, the oldest one is forgotten. */
const maxWaiting = 256;

/**
 * Client turns that are being transcribed, each with the transcription settings at the time of its speech. The
 * settings, and so the price, may change meanwhile.
 */
export class PendingTranscripts {
  readonly #transcribers = new Map<string, Transcriber>();

  /** True while a transcript is pending. */
  get isPending(): boolean {
    return this.#transcribers.size > 0;
  }

  /** Adds a turn under its item id; without a transcriber the turn is ignored. */
  add(item: string, transcriber: Transcriber | undefined): void {
    if (transcriber === undefined) return;
    const [oldest] = this.#transcribers.keys();
    if (this.#transcribers.size >= maxWaiting && oldest !== undefined) this.#transcribers.delete(oldest);
    this.#transcribers.set(item, transcriber);
  }

  /**
   * Removes a turn whose transcript is complete or has failed. Returns its transcriber; undefined if the turn is
   * unknown.
   */
  remove(item: string): Transcriber | undefined {
    const transcriber = this.#transcribers.get(item);
    this.#transcribers.delete(item);
    return transcriber;
  }
}
