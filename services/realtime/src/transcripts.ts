import type { Transcriber } from "@modelgate/wires/realtime";

/** Maximum turns waiting for a transcript; for older ones the transcribing model is forgotten. */
const maxWaiting = 256;

/**
 * Client turns that are being transcribed, each with the session's settings at the time of its speech: the settings,
 * and so the price, may change meanwhile.
 */
export class Transcripts {
  readonly #transcribers = new Map<string, Transcriber>();

  /** True while a transcript is pending. */
  get pending(): boolean {
    return this.#transcribers.size > 0;
  }

  /** Adds a client turn that became an item; `transcriber` transcribes it, undefined for none. */
  begun(item: string, transcriber: Transcriber | undefined): void {
    if (transcriber === undefined) return;
    const [oldest] = this.#transcribers.keys();
    if (this.#transcribers.size >= maxWaiting && oldest !== undefined) this.#transcribers.delete(oldest);
    this.#transcribers.set(item, transcriber);
  }

  /** Removes a turn whose transcript is complete or has failed. Returns its transcriber, if known. */
  ended(item: string): Transcriber | undefined {
    const transcriber = this.#transcribers.get(item);
    this.#transcribers.delete(item);
    return transcriber;
  }
}
