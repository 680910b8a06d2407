import type { BodySink, UpstreamAnswer } from "@modelgate/channels";

/** Maximum bytes of an answer before its video. */
const maxBefore = 1024 * 1024;
/** Maximum length of an escape: `\u003d`. */
const escapeLength = 6;

/** Decodes a video that a JSON answer contains as Base64, while the answer arrives. */
export class InlineVideo {
  readonly #opening: RegExp;
  #state: "before" | "within" | "after" = "before";
  #pending = "";

  /** `member` is the name of the field that contains the video. */
  constructor(member: string) {
    this.#opening = new RegExp(`"${member}"\\s*:\\s*"`);
  }

  /** True if the video is complete. */
  get isOver(): boolean {
    return this.#state === "after";
  }

  /** Returns the next bytes of the video. Throws RangeError where no video begins within the bound. */
  push(piece: Buffer): Buffer {
    if (this.isOver) return empty;
    this.#pending += piece.toString("latin1");
    if (this.#state === "before" && !this.#begin()) return empty;
    return this.#decode();
  }

  #begin(): boolean {
    const found = this.#opening.exec(this.#pending);
    if (found === null) {
      if (this.#pending.length > maxBefore) throw new RangeError("no film begins in the answer");
      return false;
    }
    this.#pending = this.#pending.slice(found.index + found[0].length);
    this.#state = "within";
    return true;
  }

  #decode(): Buffer {
    const end = this.#pending.indexOf('"');
    if (end >= 0) this.#state = "after";
    const ready = end >= 0 ? end : this.#wholeEscapes();
    const text = unescaped(this.#pending.slice(0, ready));
    const rest = end >= 0 ? "" : this.#pending.slice(ready);
    // Four characters encode three bytes.
    const whole = end >= 0 ? text.length : text.length - (text.length % 4);
    this.#pending = text.slice(whole) + rest;
    return Buffer.from(text.slice(0, whole), "base64");
  }

  /** Returns the length of the text that does not end inside an escape. */
  #wholeEscapes(): number {
    const { length } = this.#pending;
    const found = this.#pending.indexOf("\\", length - escapeLength);
    return found < 0 ? length : found;
  }
}

const empty = Buffer.alloc(0);

/** Replaces the JSON escapes of a slash and an equals sign. */
function unescaped(text: string): string {
  return text.includes("\\") ? text.replaceAll("\\/", "/").replaceAll(/\\u003d/gi, "=") : text;
}

/** Returns an answer with the video that another answer contains. An answer without a video breaks the connection. */
export function inlineVideo(answer: UpstreamAnswer, member: string): UpstreamAnswer {
  const video = new InlineVideo(member);
  const pass = (sink: BodySink, chunk: Buffer): void => {
    try {
      const bytes = video.push(chunk);
      if (bytes.length > 0) sink.data(bytes);
    } catch (error) {
      answer.abort();
      sink.broken(error instanceof Error ? error : new Error("no film", { cause: error }));
    }
  };
  return {
    status: answer.status,
    headers: { "content-type": "video/mp4" },
    pipe: (sink) =>
      answer.pipe({
        data: (chunk) => pass(sink, chunk),
        end: () => (video.isOver ? sink.end() : sink.broken(new Error("the answer holds no whole video"))),
        broken: (error) => sink.broken(error),
      }),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    abort: () => answer.abort(),
  };
}
