import { Failure } from "@modelgate/contracts";
import type { BodySink, UpstreamAnswer } from "@modelgate/channels";
import type { FrameCutting, StreamAnswerReader } from "./stream-reader.ts";

/** A first frame beyond this is no error message: the client gets it as it comes. */
const maxHeldBytes = 64 * 1024;

/** A vendor's stream held at its first bytes, until the client's head may be committed. */
export class HeldStream implements BodySink {
  readonly #answer: UpstreamAnswer;
  readonly #framing: FrameCutting;
  /** Resolves with the first frame; undefined where the bytes that are held have none. */
  readonly #begun = Promise.withResolvers<Buffer | undefined>();
  #isBegun = false;
  #first: Buffer | undefined;
  #sink: BodySink | undefined;
  #over: { readonly error?: Error } | undefined;
  /** True if the sink wants no more for now. */
  #paused = false;

  private constructor(answer: UpstreamAnswer, framing: FrameCutting) {
    this.#answer = answer;
    this.#framing = framing;
  }

  /**
   * Waits for the first frame and checks it. Throws Failure if the stream ends or breaks before it, or cannot begin an
   * answer: another route may be tried.
   */
  static async open(
    answer: UpstreamAnswer,
    { framing, begins }: Pick<StreamAnswerReader, "framing" | "begins">,
  ): Promise<HeldStream> {
    const held = new HeldStream(answer, framing);
    answer.pipe(held);
    const first = await held.#begun.promise;
    if (first === undefined || begins(first)) return held;
    held.abort();
    throw new Failure("upstream_error", "The vendor failed before its answer began.");
  }

  data(chunk: Buffer): void {
    if (this.#sink !== undefined) return this.#sink.data(chunk);
    this.#first = this.#first === undefined ? chunk : Buffer.concat([this.#first, chunk]);
    if (this.#isBegun) return;
    // An error in pieces must not pass for an answer: the first frame is looked at whole.
    const frame = firstFrame(this.#first, this.#framing);
    if (frame === undefined && this.#first.length < maxHeldBytes) return;
    this.#isBegun = true;
    this.#answer.pause();
    this.#begun.resolve(frame);
  }

  end(): void {
    this.#over = {};
    if (this.#sink !== undefined) this.#sink.end();
    else if (!this.#isBegun) this.#begun.reject(new Failure("upstream_error", "The vendor's stream was empty."));
  }

  broken(error: Error): void {
    this.#over = { error };
    if (this.#sink !== undefined) this.#sink.broken(error);
    else if (!this.#isBegun) this.#begun.reject(brokenOff(error));
  }

  /** Hands the held bytes and all that follows to a sink. */
  pipe(sink: BodySink): void {
    const held = this.#first;
    this.#first = undefined;
    this.#sink = sink;
    if (held !== undefined) sink.data(held);
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
  for (const frame of frames) if (framing.parse(frame) !== undefined) return frame;
  return frames[0];
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
