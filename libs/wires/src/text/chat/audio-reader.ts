import type { JsonRecord } from "../../json/fields.ts";
import type { JsonObject } from "../hub/request.ts";

/** Bytes of speech that one choice may have; what is beyond is cut off, as a player would be. */
const mostSpeech = 24 * 2 ** 20;

/** Speech out of a stream, put together: it is passed on whole, as no other wire has speech in pieces. */
export class AudioReader {
  readonly #pieces: Buffer[] = [];
  readonly #transcript: string[] = [];
  #bytes = 0;
  #head: JsonRecord | undefined;

  add({ data, transcript, ...head }: JsonRecord): void {
    this.#head = { ...this.#head, ...head };
    if (typeof transcript === "string") this.#transcript.push(transcript);
    const piece = typeof data === "string" ? Buffer.from(data, "base64") : Buffer.alloc(0);
    if (this.#bytes + piece.length > mostSpeech) return;
    this.#bytes += piece.length;
    this.#pieces.push(piece);
  }

  /** `audio` of a message; undefined where there was none. */
  take(): JsonObject | undefined {
    if (this.#head === undefined) return undefined;
    const data = Buffer.concat(this.#pieces).toString("base64");
    const audio = { ...this.#head, data, transcript: this.#transcript.join("") };
    this.#head = undefined;
    return audio;
  }
}
