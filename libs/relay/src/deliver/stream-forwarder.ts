import type { BodySink } from "@modelgate/channels";
import { Failure, type CallStatus } from "@modelgate/contracts";
import { gatewayFailureOf, type AnswerSink } from "@modelgate/platform";
import type { FrameSplitter } from "@modelgate/formats/sse";
import { outputLimitExceeded, type Allowance, type StreamStop } from "../money/allowance.ts";
import type { Metered } from "../money/measure.ts";
import type { Meter } from "../money/meter.ts";
import { interruptionFailure } from "../answers/buffered-stream.ts";
import type { FrameReading, StreamAnswerReader, StreamTranslator } from "../answers/stream-reader.ts";
import type { StreamSource } from "./run-stream.ts";

export type StreamSink = Pick<AnswerSink, "write" | "end" | "destroy" | "watch" | "isFull" | "isClosed">;

/** Source and sink of a stream, and the objects that read, meter and limit it. */
export interface StreamForwarderOptions {
  readonly sink: StreamSink;
  readonly source: StreamSource;
  readonly reader: Pick<StreamAnswerReader, "framing" | "observe" | "countImages">;
  readonly translator: StreamTranslator;
  readonly meter: Meter;
  /** Call that the stream belongs to; undefined if no client receives the stream. */
  readonly owner: StreamOwner | undefined;
  readonly ending: AbortSignal;
  readonly requestId: string;
  readonly heartbeatMs: number;
  /** Maximum ms for which the chunks of a burst are collected; 0: never. */
  readonly gatherMs: number;
  readonly maxBytes?: number | undefined;
}

/** The call that a stream belongs to, and the money that is held for it. */
export interface StreamOwner {
  /** Decides which frames the held money covers. Undefined if all are covered. */
  readonly allowance: Pick<Allowance, "admits" | "covers" | "extend"> | undefined;
  readonly timer: { recordChunk(): void };
  /** Returns the usage of a stream that the gateway ends for this reason. */
  meterEndedEarly(reason: StreamStop): Promise<Metered>;
  /**
   * Called when the vendor's stream has ended, before the client's stream ends. `cut` is the usage of a stream that the
   * gateway ended. The client's last bytes wait for the promise.
   */
  onVendorEnd(failure: Failure | undefined, cut?: Metered): Promise<void> | undefined;
}

/** Status of a call whose stream has ended. */
export interface StreamEnd {
  readonly callStatus: CallStatus;
  readonly failure?: Failure;
}

/**
 * Sends a vendor's stream to its client. It reads, checks, meters and writes the frames; a slow client pauses the
 * vendor. A silent stream gets heartbeats, a broken one an error frame.
 */
export class StreamForwarder implements BodySink {
  /** Resolves when the stream has ended; never rejects. */
  readonly ended: Promise<StreamEnd>;
  readonly #options: StreamForwarderOptions;
  readonly #resolve: (end: StreamEnd) => void;
  readonly #splitter: FrameSplitter;
  readonly #readsFrames: boolean;
  readonly #maxBytes: number;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #sinkWatch: Disposable;
  readonly #output = new OutputBuffer();
  #hasEnded = false;
  #bytes = 0;
  /** Time at which the latest chunk arrived, or reading was resumed after a burst. */
  #lastChunkAt = -Infinity;
  #burstPause: NodeJS.Timeout | undefined;
  #hasLastFrame = false;
  #isWaitingForMoney = false;
  /** The first frame that the held money does not cover. */
  #uncovered: { readonly frame: Buffer; readonly reading: FrameReading } | undefined;
  #waitingFrames: readonly Buffer[] = [];
  /** Called after the waiting frames, if the vendor's stream has ended meanwhile. */
  #delayedEnd: (() => void) | undefined;

  constructor(options: StreamForwarderOptions) {
    const { promise, resolve } = Promise.withResolvers<StreamEnd>();
    const { source, sink, reader, heartbeatMs } = options;
    this.ended = promise;
    this.#resolve = resolve;
    this.#options = options;
    this.#splitter = reader.framing.splitter();
    this.#maxBytes = options.maxBytes ?? Infinity;
    this.#readsFrames = reader.observe !== undefined || reader.countImages !== undefined;
    this.#heartbeat = setInterval(() => this.#sendHeartbeat(), heartbeatMs);
    this.#sinkWatch = sink.watch({
      drained: () => {
        if (!this.#isWaitingForMoney) source.resume();
      },
      closed: () => {
        this.#finish({ callStatus: "cancelled" });
        source.abort();
      },
    });
    options.ending.addEventListener("abort", this);
    source.pipe(this);
    if (options.ending.aborted) this.handleEvent();
  }

  handleEvent(): void {
    const failure = gatewayFailureOf(this.#options.ending);
    if (failure !== undefined) this.#fail(failure);
  }

  data(chunk: Buffer): void {
    if (this.#hasEnded) return;
    const { owner } = this.#options;
    this.#heartbeat.refresh();
    owner?.timer.recordChunk();
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) return this.#fail(tooLong());
    const isAligned = this.#splitter.empty;
    const rest = isAligned ? this.#forwardOutput(chunk) : chunk;
    if (rest.length > 0) {
      let frames: readonly Buffer[];
      try {
        frames = this.#splitter.push(rest);
      } catch (error) {
        return this.#fail(malformedFailure(error));
      }
      this.#processFrames(frames, isAligned ? rest : undefined);
    }
    this.#pauseDuringBurst();
  }

  /**
   * Forwards the first frames of a chunk that contain only output, and returns the rest. Most chunks contain no other
   * frames, and reading each of them would take longer than everything else.
   */
  #forwardOutput(chunk: Buffer): Buffer {
    const { translator, meter, sink, source } = this.#options;
    const output = this.#readsFrames || this.#isWaitingForMoney ? undefined : translator.readOutput?.(chunk);
    if (output === undefined || !this.#isCovered(output.text, output.bytes)) return chunk;
    meter.addOutput(output.text);
    if (!sink.write(output.bytes)) source.pause();
    return output.bytes === chunk ? nothing : chunk.subarray(output.bytes.length);
  }

  end(): void {
    if (this.#hasEnded) return;
    if (this.#isWaitingForMoney) return void (this.#delayedEnd = () => this.end());
    const rest = this.#splitter.end();
    if (rest.length > 0) this.#processFrames([rest]);
    // The held money may not cover the last frame, which is complete only now.
    if (this.#isWaitingForMoney) this.#delayedEnd = () => this.end();
    else this.#end("");
  }

  fail(error: Error): void {
    if (this.#isWaitingForMoney && !this.#hasEnded) return void (this.#delayedEnd = () => this.fail(error));
    // If the gateway ended the call, the error is not a failure of the vendor.
    this.#fail(gatewayFailureOf(this.#options.ending) ?? interruptionFailure(error));
  }

  /**
   * Pauses reading briefly in a burst, because processing many chunks together takes about as long as processing one.
   * Chunks with longer intervals, which are usual for text, are never delayed.
   */
  #pauseDuringBurst(): void {
    const { source, sink, gatherMs } = this.#options;
    const now = performance.now();
    const isBurst = now - this.#lastChunkAt < gatherMs;
    this.#lastChunkAt = now;
    if (!isBurst || this.#hasEnded || this.#burstPause !== undefined) return;
    source.pause();
    this.#burstPause = setTimeout(() => {
      this.#burstPause = undefined;
      this.#lastChunkAt = performance.now();
      if (!this.#isWaitingForMoney && !sink.isFull) source.resume();
    }, gatherMs);
  }

  /** Processes frames. `chunk` is set if it contains exactly these frames. */
  #processFrames(frames: readonly Buffer[], chunk?: Buffer): void {
    if (this.#isWaitingForMoney) return void (this.#waitingFrames = [...this.#waitingFrames, ...frames]);
    const out = this.#output;
    const failure = this.#renderFrames(frames);
    const isUncovered = this.#uncovered !== undefined;
    // Frames after a failure, or after one that is not covered, must not be sent with the chunk.
    const isWhole = failure === undefined && !isUncovered && this.#splitter.empty;
    const bytes = out.take(isWhole ? chunk : undefined);
    // After its last frame, a vendor may reset the connection or never close it. The answer is complete.
    if (this.#hasLastFrame && !isUncovered && failure === undefined) return this.#end(bytes);
    const canWriteMore = bytes.length === 0 || this.#options.sink.write(bytes);
    if (failure !== undefined) return this.#fail(failure);
    if (!canWriteMore || isUncovered) this.#options.source.pause();
    if (isUncovered) this.#waitForMoney().catch((error: unknown) => this.#fail(malformedFailure(error)));
  }

  /**
   * Reads, meters and renders frames up to the first one that the held money does not cover. Returns a Failure that a
   * frame reports or causes.
   */
  #renderFrames(frames: readonly Buffer[]): Failure | undefined {
    const { meter, reader, translator } = this.#options;
    try {
      for (let index = 0; index < frames.length; index++) {
        const frame = frames[index] ?? nothing;
        const reading = this.#uncovered === undefined ? translator.read(frame) : this.#readOnce(frame);
        if (!this.#isCovered(reading.text, frame)) {
          this.#uncovered = { frame, reading };
          this.#waitingFrames = frames.slice(index);
          return undefined;
        }
        meter.addOutput(reading.text);
        if (reading.usage !== undefined) meter.report(reading.usage);
        if (reading.fees !== undefined) meter.fees?.recordReported(reading.fees);
        if (reader.countImages !== undefined) meter.addImages(reader.countImages(frame));
        reader.observe?.(frame);
        this.#output.add(reading.render(), frame);
        this.#hasLastFrame ||= reading.isLast;
        if (reading.failure !== undefined) return reading.failure;
      }
    } catch (error) {
      return malformedFailure(error);
    }
    return undefined;
  }

  /**
   * Reads a frame, unless it is the one that waited for money: that frame was read before, and must not be read twice.
   */
  #readOnce(frame: Buffer): FrameReading {
    const unpaid = this.#uncovered;
    this.#uncovered = undefined;
    return unpaid?.frame === frame ? unpaid.reading : this.#options.translator.read(frame);
  }

  #isCovered(rawText: string, frames: Buffer): boolean {
    const { owner, translator } = this.#options;
    const allowance = owner?.allowance;
    if (allowance === undefined || rawText === "" || allowance.covers(Buffer.byteLength(rawText))) return true;
    // The text is extracted only if the raw output is not covered.
    return allowance.admits(Buffer.byteLength(translator.extractText(rawText)), translator.mayContainReasoning(frames));
  }

  /**
   * Ends the client's stream after the vendor's complete answer. `before` is written before the translator's last
   * bytes.
   */
  #end(before: Buffer | string): void {
    if (this.#hasEnded) return;
    const { sink, source, translator, owner } = this.#options;
    let last: Buffer | string;
    try {
      last = translator.end();
    } catch (error) {
      if (before.length > 0) sink.write(before);
      return this.#fail(malformedFailure(error));
    }
    const stored = owner?.onVendorEnd(undefined);
    this.#finish({ callStatus: "completed" });
    // The rest of the vendor's answer is read, so that the connection can be reused.
    source.resume();
    if (stored === undefined) endWith(sink, before, last);
    else void stored.then(() => endWith(sink, before, last));
  }

  /** Waits until the hold is extended, and ends the stream if that fails. */
  async #waitForMoney(): Promise<void> {
    const { sink, source, owner } = this.#options;
    this.#isWaitingForMoney = true;
    const stop = await owner?.allowance?.extend();
    if (stop !== undefined) return await this.#endEarly(stop);
    this.#isWaitingForMoney = false;
    if (this.#hasEnded) return;
    const waiting = this.#waitingFrames;
    this.#waitingFrames = [];
    this.#processFrames(waiting);
    if (this.#uncovered !== undefined || this.#hasEnded) return;
    this.#delayedEnd?.();
    if (!sink.isFull) source.resume();
  }

  /**
   * Stops the vendor and ends the client's stream as if the answer had reached its output limit. The stream fails if
   * its wire cannot express this, or if the reason is not a limit.
   */
  async #endEarly(reason: StreamStop): Promise<void> {
    if (this.#hasEnded) return;
    const { sink, source, translator, owner } = this.#options;
    source.abort();
    const isAtBound = reason === outputLimitExceeded || reason.code === "insufficient_quota";
    const metered = isAtBound ? await owner?.meterEndedEarly(reason) : undefined;
    if (this.#hasEnded) return;
    const last = metered === undefined ? undefined : translator.cut?.(metered.units);
    if (last === undefined) return this.#fail(reason === outputLimitExceeded ? tooLong() : reason);
    const stored = owner?.onVendorEnd(undefined, metered);
    this.#finish({ callStatus: "completed" });
    if (stored === undefined) sink.end(last);
    else void stored.then(() => sink.end(last));
  }

  #fail(failure: Failure): void {
    if (this.#hasEnded) return;
    const { sink, source, translator, requestId, owner } = this.#options;
    // A client that disconnected has ended the exchange. This is not a failure.
    if (sink.isClosed) return this.#finish({ callStatus: "cancelled" });
    const last = translator.fail(failure, requestId);
    void owner?.onVendorEnd(failure);
    this.#finish({ callStatus: "failed", failure });
    if (last === undefined) sink.destroy();
    else sink.end(last);
    source.abort();
  }

  #sendHeartbeat(): void {
    const { sink, translator } = this.#options;
    const heartbeat = sink.isFull ? "" : translator.heartbeat();
    if (heartbeat !== "") sink.write(heartbeat);
  }

  #finish(end: StreamEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#burstPause);
    this.#sinkWatch[Symbol.dispose]();
    this.#options.ending.removeEventListener("abort", this);
    this.#resolve(end);
  }
}

const nothing = Buffer.alloc(0);

function tooLong(): Failure {
  return new Failure("upstream_error", "The vendor wrote more than the request allows.");
}

function malformedFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure("upstream_error", "The vendor's stream is malformed.", { cause: error });
}

/** Output of several frames as text or bytes. */
export class OutputBuffer {
  #text = "";
  #pieces: Buffer[] = [];
  #isUnchanged = true;

  add(rendered: Buffer | string, frame: Buffer): void {
    if (rendered !== frame) this.#isUnchanged = false;
    if (typeof rendered === "string") {
      if (this.#pieces.length === 0) this.#text += rendered;
      else this.#pieces.push(Buffer.from(rendered));
    } else {
      if (this.#text !== "") this.#pieces.push(Buffer.from(this.#text));
      this.#text = "";
      this.#pieces.push(rendered);
    }
  }

  /**
   * Removes and returns the output. If all frames are unchanged, returns `chunk`, which contains exactly these frames.
   */
  take(chunk?: Buffer): Buffer | string {
    const [first] = this.#pieces;
    let output: Buffer | string = this.#text;
    if (chunk !== undefined && this.#isUnchanged) output = chunk;
    else if (first !== undefined) output = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#text = "";
    this.#isUnchanged = true;
    if (this.#pieces.length > 0) this.#pieces = [];
    return output;
  }
}

function endWith(sink: StreamSink, before: Buffer | string, last: Buffer | string): void {
  if (before.length > 0) sink.write(before);
  sink.end(last);
}
