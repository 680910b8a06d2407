import { Failure, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/wires/json";
import type { ClientFraming, EarlyEnd, SeenFrame, TextStreamPass } from "@modelgate/wires/text";
import { eventStream, type FrameReading, type StreamTranslator } from "./stream-reader.ts";

/** Form in which an answer of the client's own wire reaches the client: as it came, or with a few members replaced. */
export type PassMode = "bytes" | "patched";

/** Options for passing a stream of the client's own wire on. */
export interface PassOptions {
  readonly pass: TextStreamPass;
  readonly mode: PassMode;
  /** The client's name of the model, where the vendor's is another. */
  readonly rename?: string | undefined;
  /** Members of the request that the answer repeats, and the vendor was not sent. */
  readonly echo?: JsonRecord | undefined;
  /** True if frames that carry only usage are hidden. */
  readonly hideUsage?: boolean | undefined;
  /** Framing of the client's stream, where it is framed otherwise than as server-sent events. */
  readonly framing?: ClientFraming | undefined;
  /** Early end of a stream, where it may have to end before its vendor ends it. */
  readonly early?: EarlyEnd | undefined;
}

const nothing = Buffer.alloc(0);

/** Passes a stream on: frames as they came, read but not parsed where that can be spared, a few members changed where they must be. */
export class PassTranslator implements StreamTranslator {
  readonly contentType: string;
  readonly #options: PassOptions;
  /** The usage that was reported so far. */
  #usage: Units | undefined;
  #done = false;
  #last: Buffer = nothing;
  #sequence: number | undefined;

  constructor(options: PassOptions) {
    this.#options = options;
    this.contentType = options.framing?.contentType ?? eventStream;
  }

  get last(): Buffer {
    return this.#last;
  }

  read(frame: Buffer): FrameReading {
    const { pass } = this.#options;
    const seen = pass.see(frame, this.#usage);
    if (seen.failed) return seen.overloaded === true ? overloadedFrame : failedFrame;
    this.#usage = seen.usage ?? this.#usage;
    const words = seen.usageOnly ? "" : pass.written(frame);
    // A wire that ends with its connection may still have a frame to say after its last word.
    const done = seen.done && !pass.endsWithConnection;
    const { usage, fees } = seen;
    return { words, usage, fees, done, render: () => this.#render(frame, seen, words) };
  }

  mayThink(frame: Buffer): boolean {
    return this.#options.pass.showsThoughts(frame);
  }

  wordsOf(words: string): string {
    return this.#options.pass.wordsOf(words);
  }

  end(): Buffer | string {
    if (!this.#done) throw new Failure("upstream_error", "The vendor's answer was cut off.");
    return this.#options.framing?.end() ?? nothing;
  }

  cut(used: Units): Buffer | undefined {
    const { early, framing } = this.#options;
    const frames = early?.frames(used, this.#sequence)?.map((frame) => this.#patched(Buffer.from(frame)));
    if (frames === undefined) return undefined;
    this.#last = frames.at(-1) ?? nothing;
    return Buffer.concat([...frames, Buffer.from(framing?.end() ?? "")]);
  }

  fail(failure: Failure, requestId: string): string {
    const { pass, framing } = this.#options;
    const frame = pass.failureFrame(failure, requestId, this.#sequence);
    return framing === undefined ? frame : framing.reframe(Buffer.from(frame)) + framing.end();
  }

  heartbeat(): string {
    return this.#options.framing?.heartbeat() ?? this.#options.pass.heartbeat;
  }

  #render(frame: Buffer, seen: SeenFrame, words: string): Buffer {
    const { mode, hideUsage, early } = this.#options;
    this.#sequence = seen.sequence ?? this.#sequence;
    early?.saw(frame, words);
    const shown = mode === "patched" ? this.#patched(frame) : frame;
    if (seen.done) {
      this.#done = true;
      this.#last = shown;
    }
    return seen.usageOnly && hideUsage === true ? nothing : shown;
  }

  #patched(frame: Buffer): Buffer {
    const { pass, rename, echo, framing } = this.#options;
    const renamed = rename === undefined ? frame : pass.renameFrame(frame, rename);
    const whole = echo === undefined ? renamed : (pass.echoFrame?.(renamed, echo) ?? renamed);
    return framing === undefined ? whole : Buffer.from(framing.reframe(whole));
  }
}

/** A frame in which the vendor says that it failed. */
const failedFrame: FrameReading = {
  words: "",
  done: false,
  failure: new Failure("upstream_error", "The vendor failed in the middle of its answer."),
  render: () => nothing,
};
const overloadedFrame: FrameReading = {
  ...failedFrame,
  failure: new Failure("upstream_overloaded", "The vendor is overloaded and ended its answer; try again shortly."),
};
