import type { BodySink } from "@modelgate/channels";
import { Failure, type CallStatus } from "@modelgate/contracts";
import { endedBy, type AnswerSink } from "@modelgate/platform";
import type { FrameSplitter } from "@modelgate/wires/sse";
import { wroteBeyondBound, type Allowance, type StreamStop } from "../money/allowance.ts";
import type { Metered } from "../money/measure.ts";
import type { Meter } from "../money/meter.ts";
import { interruptionFailure } from "../answers/held-stream.ts";
import type { FrameReading, StreamAnswerReader, StreamTranslator } from "../answers/stream-reader.ts";
import type { StreamSource } from "./run-stream.ts";

/** Sink of a stream. */
export type StreamSink = Pick<AnswerSink, "write" | "end" | "destroy" | "watch" | "full" | "closed">;

/** Options of a `StreamPass`. */
export interface StreamPassOptions {
  readonly sink: StreamSink;
  readonly held: StreamSource;
  readonly reader: Pick<StreamAnswerReader, "framing" | "observe" | "countImages">;
  readonly translator: StreamTranslator;
  readonly meter: Meter;
  /** Call that the stream belongs to; undefined: no client waits for the stream, and its cost needs no limit. */
  readonly owner: StreamOwner | undefined;
  /** Aborted if the call ends before the stream does. */
  readonly ending: AbortSignal;
  readonly requestId: string;
  readonly heartbeatMs: number;
  /** Maximum ms for which the chunks of a burst are collected before they are passed on; 0: never. */
  readonly gatherMs: number;
  /** Maximum bytes that are read from the vendor; absent: unlimited. */
  readonly maxBytes?: number | undefined;
}

/** The call that a stream belongs to, and the money that is held for it. */
export interface StreamOwner {
  /** Decides which frames the held money covers, and extends the hold; undefined: all frames are covered. */
  readonly allowance: Pick<Allowance, "admits" | "covers" | "extend"> | undefined;
  /** Measures each chunk of the vendor. */
  readonly watch: { chunk(): void };
  /** Returns the usage of a stream that the gateway ends for this reason. */
  meterCut(reason: StreamStop): Promise<Metered>;
  /**
   * Called when the vendor's stream has ended, before the client's stream ends, so that the money is settled first.
   * `cut` is the usage of a stream that the gateway ended early. The client receives the last bytes when the returned
   * promise is fulfilled.
   */
  ended(failure: Failure | undefined, cut?: Metered): Promise<void> | undefined;
}

/** Result of a stream. */
export interface StreamEnd {
  readonly ended: CallStatus;
  /** Set if the stream failed. */
  readonly failure?: Failure;
}

/**
 * Passes a vendor's stream to its client. It splits the bytes into frames, which it reads, checks, meters and writes; a
 * slow client pauses the vendor. It sends heartbeats while the vendor is silent, and an error frame if the stream is
 * interrupted. The first event that ends the stream determines the result.
 */
export class StreamPass implements BodySink {
  /** Resolves when the stream has ended; never rejects. */
  readonly ended: Promise<StreamEnd>;
  readonly #options: StreamPassOptions;
  readonly #resolve: (end: StreamEnd) => void;
  readonly #splitter: FrameSplitter;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #watching: Disposable;
  readonly #out = new Outgoing();
  #over = false;
  #bytes = 0;
  /** Time at which the latest chunk arrived, or at which reading was resumed after a burst. */
  #heardAt = -Infinity;
  #gathering: NodeJS.Timeout | undefined;
  /** True if the frame that ends the stream was read. */
  #done = false;
  /** True while frames wait until the hold is extended. */
  #dry = false;
  /** The first frame that the held money does not cover, with its reading. */
  #unpaid: { readonly frame: Buffer; readonly reading: FrameReading } | undefined;
  #waiting: readonly Buffer[] = [];
  /** End of the vendor's stream that arrived while frames waited; it is handled after them. */
  #after: (() => void) | undefined;

  constructor(options: StreamPassOptions) {
    const { promise, resolve } = Promise.withResolvers<StreamEnd>();
    const { held, sink, reader, heartbeatMs } = options;
    this.ended = promise;
    this.#resolve = resolve;
    this.#options = options;
    this.#splitter = reader.framing.splitter();
    this.#heartbeat = setInterval(() => this.#signOfLife(), heartbeatMs);
    this.#watching = sink.watch({
      drained: () => {
        if (!this.#dry) held.resume();
      },
      closed: () => {
        this.#finish({ ended: "cancelled" });
        held.abort();
      },
    });
    options.ending.addEventListener("abort", this);
    held.pipe(this);
    if (options.ending.aborted) this.handleEvent();
  }

  /** Ends the stream because the gateway ended the call. */
  handleEvent(): void {
    const failure = endedBy(this.#options.ending);
    if (failure !== undefined) this.#fail(failure);
  }

  data(chunk: Buffer): void {
    if (this.#over) return;
    this.#heartbeat.refresh();
    this.#options.owner?.watch.chunk();
    this.#bytes += chunk.length;
    if (this.#bytes > (this.#options.maxBytes ?? Infinity)) return this.#fail(tooLong());
    const aligned = this.#splitter.empty;
    let frames: readonly Buffer[];
    try {
      frames = this.#splitter.push(chunk);
    } catch (error) {
      return this.#fail(malformed(error));
    }
    this.#advance(frames, aligned ? chunk : undefined);
    this.#gather();
  }

  end(): void {
    if (this.#over) return;
    if (this.#dry) return void (this.#after = () => this.end());
    const rest = this.#splitter.end();
    if (rest.length > 0) this.#advance([rest]);
    // The last frame, if its closing line is missing, may not be covered by the held money.
    if (this.#dry) this.#after = () => this.end();
    else this.#end("");
  }

  fail(error: Error): void {
    if (this.#dry && !this.#over) return void (this.#after = () => this.fail(error));
    // If the gateway ended the call, the error is the abort of the exchange, and not a failure of the vendor.
    this.#fail(endedBy(this.#options.ending) ?? interruptionFailure(error));
  }

  /**
   * Pauses reading briefly if the vendor sends a burst, because processing many chunks together takes about as long as
   * processing one. The first chunk, and chunks with longer intervals (the usual case for text), are never delayed.
   */
  #gather(): void {
    const { held, sink, gatherMs } = this.#options;
    const now = performance.now();
    const isBurst = now - this.#heardAt < gatherMs;
    this.#heardAt = now;
    if (!isBurst || this.#over || this.#gathering !== undefined) return;
    held.pause();
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      this.#heardAt = performance.now();
      if (!this.#dry && !sink.full) held.resume();
    }, gatherMs);
  }

  /** Processes frames that have arrived. `chunk` is passed if it contains exactly these frames and no other bytes. */
  #advance(frames: readonly Buffer[], chunk?: Buffer): void {
    if (this.#dry) return void (this.#waiting = [...this.#waiting, ...frames]);
    const out = this.#out;
    const failure = this.#take(frames);
    const isDry = this.#unpaid !== undefined;
    const bytes = out.take(!isDry && this.#splitter.empty ? chunk : undefined);
    // The answer is complete with the terminal frame, even if the vendor then resets or never closes the connection.
    if (this.#done && !isDry && failure === undefined) return this.#end(bytes);
    const flows = bytes.length === 0 || this.#options.sink.write(bytes);
    if (failure !== undefined) return this.#fail(failure);
    if (!flows || isDry) this.#options.held.pause();
    if (isDry) this.#waitForMoney().catch((error: unknown) => this.#fail(malformed(error)));
  }

  /**
   * Reads, meters and renders frames up to the first one that the held money does not cover. Returns a Failure if a
   * frame reports or causes one.
   */
  #take(frames: readonly Buffer[]): Failure | undefined {
    const { meter, reader, translator } = this.#options;
    try {
      for (let index = 0; index < frames.length; index++) {
        const frame = frames[index] ?? nothing;
        const reading = this.#unpaid === undefined ? translator.read(frame) : this.#readOnce(frame);
        if (!this.#isPaid(reading, frame)) {
          this.#unpaid = { frame, reading };
          this.#waiting = frames.slice(index);
          return undefined;
        }
        meter.add(reading.text);
        if (reading.usage !== undefined) meter.report(reading.usage);
        if (reading.fees !== undefined) meter.fees?.saw(reading.fees);
        if (reader.countImages !== undefined) meter.addImages(reader.countImages(frame));
        reader.observe?.(frame);
        this.#out.add(reading.render(), frame);
        this.#done ||= reading.done;
        if (reading.failure !== undefined) return reading.failure;
      }
    } catch (error) {
      return malformed(error);
    }
    return undefined;
  }

  /**
   * Returns the reading of a frame. The frame that waited for money has been read already, and must not be read twice.
   */
  #readOnce(frame: Buffer): FrameReading {
    const unpaid = this.#unpaid;
    this.#unpaid = undefined;
    return unpaid?.frame === frame ? unpaid.reading : this.#options.translator.read(frame);
  }

  #isPaid({ text: rawText }: FrameReading, frame: Buffer): boolean {
    const { owner, translator } = this.#options;
    const allowance = owner?.allowance;
    if (allowance === undefined || rawText === "" || allowance.covers(Buffer.byteLength(rawText))) return true;
    // The text is extracted only if the raw output of the frame is not covered.
    return allowance.admits(Buffer.byteLength(translator.extractText(rawText)), translator.mayThink(frame));
  }

  /**
   * Ends the client's stream after the vendor's answer is complete. `before` is written before the translator's last
   * bytes. Both are sent only after the money is settled.
   */
  #end(before: Buffer | string): void {
    if (this.#over) return;
    const { sink, held, translator, owner } = this.#options;
    let last: Buffer | string;
    try {
      last = translator.end();
    } catch (error) {
      if (before.length > 0) sink.write(before);
      return this.#fail(malformed(error));
    }
    const stored = owner?.ended(undefined);
    this.#finish({ ended: "completed" });
    // The remainder of the vendor's answer is read and dropped, so that the connection can be reused.
    held.resume();
    if (stored === undefined) endWith(sink, before, last);
    else void stored.then(() => endWith(sink, before, last));
  }

  /** Holds back the frames that are not covered until the hold is extended; ends the stream there if that fails. */
  async #waitForMoney(): Promise<void> {
    const { sink, held, owner } = this.#options;
    this.#dry = true;
    const stop = await owner?.allowance?.extend();
    if (stop !== undefined) return await this.#cut(stop);
    this.#dry = false;
    if (this.#over) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#advance(waiting);
    if (this.#unpaid !== undefined || this.#over) return;
    this.#after?.();
    if (!sink.full) held.resume();
  }

  /** Stops the vendor and ends the client's stream as if the answer had reached its output limit. */
  async #cut(reason: StreamStop): Promise<void> {
    if (this.#over) return;
    const { sink, held, translator, owner } = this.#options;
    held.abort();
    const isAtBound = reason === wroteBeyondBound || reason.code === "insufficient_quota";
    const metered = isAtBound ? await owner?.meterCut(reason) : undefined;
    if (this.#over) return;
    const last = metered === undefined ? undefined : translator.cut?.(metered.units);
    if (last === undefined) return this.#fail(reason === wroteBeyondBound ? tooLong() : reason);
    const stored = owner?.ended(undefined, metered);
    this.#finish({ ended: "completed" });
    if (stored === undefined) sink.end(last);
    else void stored.then(() => sink.end(last));
  }

  #fail(failure: Failure): void {
    if (this.#over) return;
    const { sink, held, translator, requestId, owner } = this.#options;
    // The client disconnected, which ended the exchange. This is not a failure.
    if (sink.closed) return this.#finish({ ended: "cancelled" });
    const last = translator.fail(failure, requestId);
    void owner?.ended(failure);
    this.#finish({ ended: "failed", failure });
    if (last === undefined) sink.destroy();
    else sink.end(last);
    held.abort();
  }

  #signOfLife(): void {
    const { sink, translator } = this.#options;
    const sign = sink.full ? "" : translator.heartbeat();
    if (sign !== "") sink.write(sign);
  }

  #finish(end: StreamEnd): void {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#gathering);
    this.#watching[Symbol.dispose]();
    this.#options.ending.removeEventListener("abort", this);
    this.#resolve(end);
  }
}

const nothing = Buffer.alloc(0);

function tooLong(): Failure {
  return new Failure("upstream_error", "The vendor wrote more than the request allows.");
}

function malformed(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure("upstream_error", "The vendor's stream is malformed.", { cause: error });
}

/** Collects the output of several frames as text or bytes, and concatenates them only if necessary. */
export class Outgoing {
  #text = "";
  #pieces: Buffer[] = [];
  /** True while every frame was added unchanged. */
  #intact = true;

  /** Adds the rendering of a frame. */
  add(rendered: Buffer | string, frame: Buffer): void {
    if (rendered !== frame) this.#intact = false;
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
   * Removes and returns the collected output. `chunk` contains exactly the collected frames; it is returned instead of
   * a copy if all frames were unchanged.
   */
  take(chunk?: Buffer): Buffer | string {
    const [first] = this.#pieces;
    let output: Buffer | string = this.#text;
    if (chunk !== undefined && this.#intact) output = chunk;
    else if (first !== undefined) output = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#text = "";
    this.#intact = true;
    if (this.#pieces.length > 0) this.#pieces = [];
    return output;
  }
}

function endWith(sink: StreamSink, before: Buffer | string, last: Buffer | string): void {
  if (before.length > 0) sink.write(before);
  sink.end(last);
}
