import type { BodySink, UpstreamAnswer } from "@modelgate/channels";

/** Maximum bytes of an answer before its video begins. */
const maxBytesBeforeVideo = 1024 * 1024;
/** Length of the longest escape that is decoded, `\u003d`. */
const escapeLength = 6;

/** Decodes a video in base64 from a JSON answer while the answer arrives. */
export class Base64VideoDecoder {
  readonly #opening: RegExp;
  #state: "before" | "within" | "after" = "before";
  #pending = "";

  /** `member` is the name of the field that contains the video. */
  constructor(member: string) {
    this.#opening = new RegExp(`"${member}"\\s*:\\s*"`);
  }

  get hasEnded(): boolean {
    return this.#state === "after";
  }

  /** Returns the bytes of the video in the next piece of the answer. Throws RangeError if the video begins too late. */
  push(piece: Buffer): Buffer {
    if (this.hasEnded) return noBytes;
    this.#pending += piece.toString("latin1");
    if (this.#state === "before" && !this.#begin()) return noBytes;
    return this.#decode();
  }

  #begin(): boolean {
    const match = this.#opening.exec(this.#pending);
    if (match === null) {
      if (this.#pending.length > maxBytesBeforeVideo) throw new RangeError("the answer contains no video");
      return false;
    }
    this.#pending = this.#pending.slice(match.index + match[0].length);
    this.#state = "within";
    return true;
  }

  #decode(): Buffer {
    const end = this.#pending.indexOf('"');
    if (end >= 0) this.#state = "after";
    const ready = end >= 0 ? end : this.#wholeEscapes();
    const text = unescapeBase64(this.#pending.slice(0, ready));
    const rest = end >= 0 ? "" : this.#pending.slice(ready);
    // Four characters of base64 encode three bytes, so only groups of four are decoded before the end.
    const completeEnd = end >= 0 ? text.length : text.length - (text.length % 4);
    this.#pending = text.slice(completeEnd) + rest;
    return Buffer.from(text.slice(0, completeEnd), "base64");
  }

  /** Returns the length of the pending text without a possibly incomplete escape at its end. */
  #wholeEscapes(): number {
    const { length } = this.#pending;
    const escapeStart = this.#pending.indexOf("\\", length - escapeLength);
    return escapeStart < 0 ? length : escapeStart;
  }
}

const noBytes = Buffer.alloc(0);

/** Replaces the JSON escapes of a slash and an equals sign; base64 needs no others. */
function unescapeBase64(text: string): string {
  return text.includes("\\") ? text.replaceAll("\\/", "/").replaceAll(/\\u003d/gi, "=") : text;
}

/** Returns an answer whose body is the video in the body of `answer`. It fails if the video is incomplete. */
export function extractInlineVideo(answer: UpstreamAnswer, member: string): UpstreamAnswer {
  const video = new Base64VideoDecoder(member);
  const forward = (sink: BodySink, chunk: Buffer): void => {
    try {
      const bytes = video.push(chunk);
      if (bytes.length > 0) sink.data(bytes);
    } catch (error) {
      answer.abort();
      sink.fail(error instanceof Error ? error : new Error("no video", { cause: error }));
    }
  };
  return {
    status: answer.status,
    headers: { "content-type": "video/mp4" },
    pipe: (sink) =>
      answer.pipe({
        data: (chunk) => forward(sink, chunk),
        end: () => (video.hasEnded ? sink.end() : sink.fail(new Error("the answer contains no complete video"))),
        fail: (error) => sink.fail(error),
      }),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    abort: () => answer.abort(),
  };
}
