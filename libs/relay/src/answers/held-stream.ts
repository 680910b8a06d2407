import { Failure } from "@modelgate/contracts";
import type { BodySink, UpstreamAnswer } from "@modelgate/channels";
import { SseSplitter } from "@modelgate/wires/sse";

/** A first frame beyond this is no error message: the client gets it as it comes. */
const mostHeldBack = 64 * 1024;
const colon = 0x3a;

/** A vendor's stream held at its first bytes: they are looked at before the client's head is committed. */
export class Inlet {
  readonly #answer: UpstreamAnswer;
  #first: Buffer | undefined;
  #sink: BodySink | undefined;
  #over: { readonly error?: Error } | undefined;

  private constructor(answer: UpstreamAnswer) {
    this.#answer = answer;
  }

  /** Waits for the first bytes. Throws Failure where the stream ends or breaks before them: another way may be tried. */
  static open(answer: UpstreamAnswer, form: "events" | "bytes" = "events"): Promise<Inlet> {
    const inlet = new Inlet(answer);
    const { promise, resolve, reject } = Promise.withResolvers<Inlet>();
    answer.pipe({
      data(chunk) {
        if (inlet.#sink !== undefined) return inlet.#sink.data(chunk);
        inlet.#first = inlet.#first === undefined ? chunk : Buffer.concat([inlet.#first, chunk]);
        // An error in pieces must not pass for an answer: the first frame is looked at whole.
        if (form === "events" && inlet.firstFrame === undefined && inlet.#first.length < mostHeldBack) return;
        answer.pause();
        resolve(inlet);
      },
      end() {
        inlet.#over = {};
        inlet.#sink?.end();
        reject(new Failure("upstream_error", "The vendor's stream was empty."));
      },
      broken(error) {
        inlet.#over = { error };
        inlet.#sink?.broken(error);
        reject(brokenOff(error));
      },
    });
    return promise;
  }

  get first(): Buffer {
    return this.#first ?? Buffer.alloc(0);
  }

  /** The first event that is whole among the first bytes; comments are none. */
  get firstFrame(): Buffer | undefined {
    const frames = new SseSplitter().push(this.first);
    return frames.find((frame) => frame[0] !== colon) ?? frames[0];
  }

  /** Hands the held bytes and all that follows to a sink. */
  pipe(sink: BodySink): void {
    const held = this.first;
    this.#first = undefined;
    this.#sink = sink;
    sink.data(held);
    if (this.#over === undefined) this.#answer.resume();
    else if (this.#over.error === undefined) sink.end();
    else sink.broken(this.#over.error);
  }

  pause(): void {
    this.#answer.pause();
  }

  resume(): void {
    this.#answer.resume();
  }

  abort(): void {
    this.#answer.abort();
  }
}

/** A body that broke off, as a failure: silence is a time-out. */
export function brokenOff(error: Error): Failure {
  const silent = "code" in error && error.code === "UND_ERR_BODY_TIMEOUT";
  return new Failure(
    silent ? "upstream_timeout" : "upstream_error",
    silent ? "The vendor fell silent." : "The vendor's answer broke off.",
    { cause: error },
  );
}
