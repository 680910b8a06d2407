import { Failure, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { ClientFraming, EarlyEnd, SeenFrame, TextStreamPass, FailureEvent } from "@modelgate/wires/text";
import {
  eventStream,
  streamFailure,
  type FrameReading,
  type OutputFrames,
  type StreamTranslator,
} from "./stream-reader.ts";

/** Form in which a stream is sent to a client of the same wire: unchanged, or with a few members replaced. */
export type PassMode = "bytes" | "patched";

/** Wire of a stream, and the changes to it. */
export interface PassOptions {
  readonly pass: TextStreamPass;
  readonly mode: PassMode;
  /** The client's name of the model, if the vendor's name differs. */
  readonly rename?: string | undefined;
  /** Members of the client's request that the answer must repeat although the vendor did not get them. */
  readonly echo?: JsonRecord | undefined;
  /** True if the client does not get frames that contain only usage. */
  readonly hideUsage?: boolean | undefined;
  readonly framing?: ClientFraming | undefined;
  /** Creates the last frames of a stream that the gateway may end early. */
  readonly early?: EarlyEnd | undefined;
}

const noBytes = Buffer.alloc(0);
const blankLine = Buffer.from("\n\n");

/** Sends a vendor's stream to a client of the same wire. It parses only frames whose contents are needed or changed. */
export class PassTranslator implements StreamTranslator {
  readonly contentType: string;
  readonly #options: PassOptions;
  #usage: Units | undefined;
  #hasContent = false;
  /** True after a frame with output was read. */
  #hasOutput = false;
  #isComplete = false;
  #last: Buffer = noBytes;
  #sequence: number | undefined;
  /** Frame in which the vendor reported a failure. */
  #failedFrame: Buffer | undefined;

  constructor(options: PassOptions) {
    this.#options = options;
    this.contentType = options.framing?.contentType ?? eventStream;
  }

  get last(): Buffer {
    return this.#last;
  }

  read(frame: Buffer): FrameReading {
    const { pass, mode, hideUsage, early } = this.#options;
    const frameContents = pass.inspect(frame, this.#usage, this.#hasContent);
    if (frameContents.failure !== undefined) return this.#failed(frame, frameContents, frameContents.failure);
    this.#usage = frameContents.usage ?? this.#usage;
    this.#hasContent ||= frameContents.hasContent === true;
    const rawText = frameContents.usageOnly ? "" : pass.extractRawText(frame);
    this.#hasOutput ||= rawText !== "";
    // In a wire whose streams end with the connection, another frame may follow the one that is marked as last.
    const isDone = frameContents.done && !pass.endsWithConnection;
    const { usage, fees, usageOnly } = frameContents;
    const render = (): Buffer => {
      this.#sequence = frameContents.sequence ?? this.#sequence;
      early?.recordFrame(frame, rawText);
      const output = mode === "patched" ? this.#patch(frame) : frame;
      if (frameContents.done) {
        this.#isComplete = true;
        this.#last = output;
      }
      return usageOnly && hideUsage === true ? noBytes : output;
    };
    return { text: rawText, usage, fees, isLast: isDone, render };
  }

  #failed(frame: Buffer, { usage, fees }: SeenFrame, event: FailureEvent): FrameReading {
    this.#failedFrame = frame;
    return { text: "", usage, fees, isLast: false, failure: streamFailure(event), render: () => noBytes };
  }

  /**
   * Returns undefined until `read` has read a frame with output: `early` and the prices of some wires need that frame.
   */
  readOutput(chunk: Buffer): OutputFrames | undefined {
    const { pass, rename, echo, framing } = this.#options;
    const isChanged = rename !== undefined || echo !== undefined || framing !== undefined;
    if (isChanged || !this.#hasOutput || pass.indexOfNotable === undefined) return undefined;
    const end = endOfFrames(chunk, pass.indexOfNotable(chunk));
    if (end === 0) return undefined;
    const bytes = end === chunk.length ? chunk : chunk.subarray(0, end);
    return { bytes, text: pass.extractRawText(bytes) };
  }

  mayContainReasoning(frame: Buffer): boolean {
    return this.#options.pass.showsReasoning(frame);
  }

  extractText(raw: string): string {
    return this.#options.pass.extractText(raw);
  }

  end(): Buffer | string {
    if (!this.#isComplete) throw new Failure("upstream_error", "The vendor's answer was cut off.");
    return this.#options.framing?.end() ?? noBytes;
  }

  cut(used: Units): Buffer | undefined {
    const { early, framing } = this.#options;
    const frames = early?.frames(used, this.#sequence)?.map((frame) => this.#patch(Buffer.from(frame)));
    if (frames === undefined) return undefined;
    this.#last = frames.at(-1) ?? noBytes;
    return Buffer.concat([...frames, Buffer.from(framing?.end() ?? "")]);
  }

  fail(failure: Failure, requestId: string): string {
    const { pass, framing } = this.#options;
    const vendorFrame = this.#failedFrame && this.#withMembers(this.#failedFrame);
    const frame = pass.failureFrame(failure, requestId, this.#sequence, vendorFrame);
    return framing === undefined ? frame : framing.reframe(Buffer.from(frame)) + framing.end();
  }

  heartbeat(): string {
    return this.#options.framing?.heartbeat() ?? this.#options.pass.heartbeat;
  }

  #patch(frame: Buffer): Buffer {
    const { framing } = this.#options;
    const patched = this.#withMembers(frame);
    return framing === undefined ? patched : Buffer.from(framing.reframe(patched));
  }

  /** Sets the model's name and the members of the client's request in a frame. */
  #withMembers(frame: Buffer): Buffer {
    const { pass, rename, echo } = this.#options;
    const renamed = rename === undefined ? frame : pass.renameFrame(frame, rename);
    return echo === undefined ? renamed : (pass.echoFrame?.(renamed, echo) ?? renamed);
  }
}

/** Returns the end of the last complete frame before `index`; before the end of the chunk if `index` is -1. */
function endOfFrames(chunk: Buffer, index: number): number {
  const last = chunk.lastIndexOf(blankLine, index < 0 ? chunk.length : index);
  return last < 0 ? 0 : last + blankLine.length;
}
