import { Failure } from "@modelgate/contracts";
import type { BodySink, UpstreamAnswer } from "@modelgate/channels";
import type { FrameCutting, StreamAnswerReader } from "./stream-reader.ts";

/**
 * Maximum bytes that are buffered while the first frame is incomplete. An error message is shorter, so a longer frame
 * is passed on unchecked.
 */
const maxHeldBytes = 64 * 1024;

/** A vendor's stream whose first bytes are buffered until the head of the client's response may be sent. */
export class HeldStream implements BodySink {
  readonly #answer: UpstreamAnswer;
  readonly #framing: FrameCutting;
  /** Resolves with the first frame; with undefined if the buffer is full and contains no complete frame. */
  readonly #begun = Promise.withResolvers<Buffer | undefined>();
  #isBegun = false;
  #first: Buffer | undefined;
  #sink: BodySink | undefined;
  #over: { readonly error?: Error } | undefined;
  /** True while the sink applies backpressure. */
  #paused = false;

  private constructor(answer: UpstreamAnswer, framing: FrameCutting) {
    this.#answer = answer;
    this.#framing = framing;
  }

  /**
   * Waits for the first frame and checks it. Throws Failure if the stream ends or is interrupted before that, or if no
   * answer can begin with the frame; another route may then be tried.
   */
  static async open(
    answer: UpstreamAnswer,
    { framing, isFirstFrame }: Pick<StreamAnswerReader, "framing" | "isFirstFrame">,
  ): Promise<HeldStream> {
    const held = new HeldStream(answer, framing);
    answer.pipe(held);
    const first = await held.#begun.promise;
    if (first === undefined || isFirstFrame(first)) return held;
    held.abort();
    throw new Failure("upstream_error", "The vendor failed before its answer began.");
  }

  data(chunk: Buffer): void {
    if (this.#sink !== undefined) return this.#sink.data(chunk);
    this.#first = this.#first === undefined ? chunk : Buffer.concat([this.#first, chunk]);
    if (this.#isBegun) return;
    // The first frame is checked only when it is complete, because the start of an error message may look like an answer.
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

  fail(error: Error): void {
    this.#over = { error };
    if (this.#sink !== undefined) this.#sink.fail(error);
    else if (!this.#isBegun) this.#begun.reject(interruptionFailure(error));
  }

  /** Passes the buffered bytes and the remainder of the stream to a sink. */
  pipe(sink: BodySink): void {
    const firstBytes = this.#first;
    this.#first = undefined;
    this.#sink = sink;
    if (firstBytes !== undefined) sink.data(firstBytes);
    if (this.#over === undefined) {
      if (!this.#paused) this.#answer.resume();
    } else if (this.#over.error === undefined) sink.end();
    else sink.fail(this.#over.error);
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

/**
 * Returns the first frame that is not a heartbeat, or the first frame if all are; undefined while no frame is complete.
 */
function firstFrame(bytes: Buffer, framing: FrameCutting): Buffer | undefined {
  const frames = framing.splitter().push(bytes);
  for (const frame of frames) if (framing.parse(frame) !== undefined) return frame;
  return frames[0];
}

/**
 * Converts the error of an interrupted body to a Failure: upstream_timeout if the vendor stopped sending, otherwise
 * upstream_error.
 */
export function interruptionFailure(error: Error): Failure {
  const silent = "code" in error && error.code === "UND_ERR_BODY_TIMEOUT";
  return new Failure(
    silent ? "upstream_timeout" : "upstream_error",
    silent ? "The vendor stopped sending." : "The vendor's answer ended unexpectedly.",
    { cause: error },
  );
}
