import type { Transcriber } from "@modelgate/wires/realtime";

/** Maximum turns that wait to be written down; of older ones it is forgotten which model was to do it. */
const maxWaiting = 256;

/**
 * The client's turns that are being written down, each by the session's settings at the time of its speech: a session
 * may be given another meanwhile, at another price.
 */
export class Transcripts {
  readonly #transcribers = new Map<string, Transcriber>();

  /** True while any is still to come. */
  get pending(): boolean {
    return this.#transcribers.size > 0;
  }

  /** A turn of the client's became an item; `transcriber` writes it down, undefined where nothing does. */
  begun(item: string, transcriber: Transcriber | undefined): void {
    if (transcriber === undefined) return;
    const [oldest] = this.#transcribers.keys();
    if (this.#transcribers.size >= maxWaiting && oldest !== undefined) this.#transcribers.delete(oldest);
    this.#transcribers.set(item, transcriber);
  }

  /** It is written down, or will not be; gives what was to do it, where that is known. */
  ended(item: string): Transcriber | undefined {
    const transcriber = this.#transcribers.get(item);
    this.#transcribers.delete(item);
    return transcriber;
  }
}
