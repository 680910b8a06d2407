import { Failure } from "@modelgate/contracts";
import type { BodySink, UpstreamAnswer } from "@modelgate/channels";
import type { FrameCutting, StreamAnswerReader } from "./stream-reader.ts";

/** A first frame beyond this is no error message: the client gets it as it comes. */
const maxHeldBytes = 64 * 1024;

/** A vendor's stream held at its first bytes, until the client's head may be committed. */
export class HeldStream {
  readonly #answer: UpstreamAnswer;
  #first: Buffer | undefined;
  #sink: BodySink | undefined;
  #over: { readonly error?: Error } | undefined;
  /** True if the sink wants no more for now. */
  #paused = false;

  private constructor(answer: UpstreamAnswer) {
    this.#answer = answer;
  }

  /**
   * Waits for the first frame and checks it. Throws Failure if the stream ends or breaks before it, or cannot begin an
   * answer: another route may be tried.
   */
  static async open(
    answer: UpstreamAnswer,
    { framing, begins }: Pick<StreamAnswerReader, "framing" | "begins">,
  ): Promise<HeldStream> {
    const held = await HeldStream.#hold(answer, framing);
    const first = firstFrame(held.first, framing);
    if (first === undefined || begins(first)) return held;
    held.abort();
    throw new Failure("upstream_error", "The vendor failed before its answer began.");
  }

  static #hold(answer: UpstreamAnswer, framing: FrameCutting): Promise<HeldStream> {
    const held = new HeldStream(answer);
    const { promise, resolve, reject } = Promise.withResolvers<HeldStream>();
    answer.pipe({
      data(chunk) {
        if (held.#sink !== undefined) return held.#sink.data(chunk);
        held.#first = held.#first === undefined ? chunk : Buffer.concat([held.#first, chunk]);
        // An error in pieces must not pass for an answer: the first frame is looked at whole.
        if (held.#first.length < maxHeldBytes && firstFrame(held.#first, framing) === undefined) return;
        answer.pause();
        resolve(held);
      },
      end() {
        held.#over = {};
        if (held.#sink === undefined) reject(new Failure("upstream_error", "The vendor's stream was empty."));
        else held.#sink.end();
      },
      broken(error) {
        held.#over = { error };
        if (held.#sink === undefined) reject(brokenOff(error));
        else held.#sink.broken(error);
      },
    });
    return promise;
  }

  /** The bytes that are held. */
  get first(): Buffer {
    return this.#first ?? Buffer.alloc(0);
  }

  /** Hands the held bytes and all that follows to a sink. */
  pipe(sink: BodySink): void {
    const held = this.first;
    this.#first = undefined;
    this.#sink = sink;
    sink.data(held);
    if (this.#over === undefined) {
      if (!this.#paused) this.#answer.resume();
    } else if (this.#over.error === undefined) sink.end();
    else sink.broken(this.#over.error);
  }

  pause(): void {
    this.#paused = true;
    this.#answer.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#answer.resume();
  }

  abort(): void {
    this.#answer.abort();
  }
}

/** The first frame that says something, else the first that only keeps the connection alive; undefined while none is whole. */
function firstFrame(bytes: Buffer, framing: FrameCutting): Buffer | undefined {
  const frames = framing.splitter().push(bytes);
  return frames.find((frame) => framing.parse(frame) !== undefined) ?? frames[0];
}

/** A body that broke off, as a failure: silence is a time-out. */
export function brokenOff(error: Error): Failure {
  const silent = "code" in error && error.code === "UND_ERR_BODY_TIMEOUT";
  return new Failure(
    silent ? "upstream_timeout" : "upstream_error",
    silent ? "The vendor stopped sending." : "The vendor's answer ended unexpectedly.",
    { cause: error },
  );
}
