import { Failure } from "@modelgate/contracts";
import type { Frame } from "@modelgate/formats/sse";
import type { BodySink, UpstreamAnswer } from "@modelgate/channels";
import type { VendorFraming, StreamAnswerReader } from "./stream-reader.ts";

/**
 * Maximum bytes that are buffered before the first frame is complete. Error messages are shorter; a longer frame is not
 * checked.
 */
const maxBufferedBytes = 64 * 1024;

/** A vendor's stream whose first bytes are buffered until the client's response may begin. */
export class BufferedStream implements BodySink {
  readonly #answer: UpstreamAnswer;
  readonly #framing: VendorFraming;
  /** Undefined after the first frame has arrived. Resolves with undefined if the buffer is full without a frame. */
  #firstFrame: PromiseWithResolvers<Frame | undefined> | undefined;
  #buffered: Buffer | undefined;
  #sink: BodySink | undefined;
  #end: { readonly error?: Error } | undefined;
  #isPaused = false;

  private constructor(
    answer: UpstreamAnswer,
    framing: VendorFraming,
    waiting: PromiseWithResolvers<Frame | undefined>,
  ) {
    this.#firstFrame = waiting;
    this.#answer = answer;
    this.#framing = framing;
  }

  /**
   * Waits for the first frame with data and checks it. Drops heartbeats before it, because the vendor may still fail
   * after them. Throws Failure if the stream breaks before the frame is complete, or if no answer can begin with it;
   * another route may then be tried.
   */
  static async open(
    answer: UpstreamAnswer,
    { framing, isFirstFrame }: Pick<StreamAnswerReader, "framing" | "isFirstFrame">,
  ): Promise<BufferedStream> {
    const waiting = Promise.withResolvers<Frame | undefined>();
    const stream = new BufferedStream(answer, framing, waiting);
    answer.pipe(stream);
    const first = await waiting.promise;
    if (first === undefined || isFirstFrame(first)) return stream;
    stream.abort();
    throw new Failure("upstream_error", "The vendor failed before its answer began.");
  }

  data(chunk: Buffer): void {
    if (this.#sink !== undefined) return this.#sink.data(chunk);
    const buffered = this.#buffered === undefined ? chunk : Buffer.concat([this.#buffered, chunk]);
    this.#buffered = buffered;
    if (this.#firstFrame === undefined) return;
    // The start of an error message may look like an answer, so the frame must be complete.
    const { heartbeatBytes, frame } = findFirstFrame(buffered, this.#framing);
    this.#buffered = buffered.subarray(heartbeatBytes);
    if (frame === undefined && this.#buffered.length < maxBufferedBytes) return;
    this.#answer.pause();
    this.#firstFrame.resolve(frame);
    this.#firstFrame = undefined;
  }

  end(): void {
    this.#end = {};
    if (this.#sink !== undefined) this.#sink.end();
    else this.#firstFrame?.reject(new Failure("upstream_error", "The vendor's stream was empty."));
  }

  fail(error: Error): void {
    this.#end = { error };
    if (this.#sink !== undefined) this.#sink.fail(error);
    else this.#firstFrame?.reject(interruptionFailure(error));
  }

  pipe(sink: BodySink): void {
    const firstBytes = this.#buffered;
    this.#buffered = undefined;
    this.#sink = sink;
    if (firstBytes !== undefined) sink.data(firstBytes);
    if (this.#end === undefined) {
      if (!this.#isPaused) this.#answer.resume();
    } else if (this.#end.error === undefined) sink.end();
    else sink.fail(this.#end.error);
  }

  pause(): void {
    this.#isPaused = true;
    this.#answer.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#answer.resume();
  }

  abort(): void {
    this.#answer.abort();
  }
}

/** Returns the first complete frame that is not a heartbeat, and the number of bytes of the heartbeats before it. */
function findFirstFrame(bytes: Buffer, framing: VendorFraming): { heartbeatBytes: number; frame: Frame | undefined } {
  let heartbeatBytes = 0;
  for (const bytesOfFrame of framing.splitter().push(bytes)) {
    const frame = framing.parse(bytesOfFrame);
    if (frame !== undefined) return { heartbeatBytes, frame };
    heartbeatBytes += bytesOfFrame.length;
  }
  return { heartbeatBytes, frame: undefined };
}

/** Converts the error of an interrupted body to a Failure. */
export function interruptionFailure(error: Error): Failure {
  const isSilent = "code" in error && error.code === "UND_ERR_BODY_TIMEOUT";
  return new Failure(
    isSilent ? "upstream_timeout" : "upstream_error",
    isSilent ? "The vendor stopped sending." : "The vendor's answer ended unexpectedly.",
    { cause: error },
  );
}
