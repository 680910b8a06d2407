import { Failure, type Units } from "@modelgate/contracts";
import { SseSplitter } from "@modelgate/wires/sse";
import type { EarlyEnd, Framing, StreamPassCodec } from "@modelgate/wires/text";
import { eventStream, type Carried, type StreamCarrier, type StreamGate } from "./exchange.ts";
import type { Gear } from "./gear.ts";
import type { Produced } from "../money/meter.ts";

/** How a stream of the client's own wire is passed on. */
export interface PassOptions {
  readonly pass: StreamPassCodec;
  readonly gear: Gear;
  /** The client's name of the model, where the vendor's is another. */
  readonly rename: string | undefined;
  /** Whether frames that carry only usage are hidden. */
  readonly hideUsage: boolean;
  /** Where the client's stream is framed otherwise than as server-sent events. */
  readonly framing?: Framing | undefined;
  /** Where the stream may have to be ended before its vendor ends it. */
  readonly early?: EarlyEnd | undefined;
  readonly gate?: StreamGate | undefined;
}

/** One of these stands in every frame that holds thoughts, in all text wires. */
const thoughtWords = ['"reasoning', '"thinking', '"thought', "response.reasoning"].map((word) => Buffer.from(word));

/** A stream passed on: frames as they came, looked at, a few members changed where they must be. */
export class PassStream implements StreamCarrier {
  readonly contentType: string;
  readonly #options: PassOptions;
  readonly #produced: Produced;
  readonly #splitter = new SseSplitter();
  #unpaid: readonly Buffer[] = [];
  #done = false;
  #last: Buffer | undefined;
  #sequence: number | undefined;

  constructor(options: PassOptions, produced: Produced) {
    this.#options = options;
    this.#produced = produced;
    this.contentType = options.framing?.contentType ?? eventStream;
    produced.readAs(options.pass);
  }

  /** A wire that ends with its connection may still have a frame to say after its last word. */
  get done(): boolean {
    return this.#done && !this.#options.pass.endsWithConnection;
  }

  get last(): string {
    return this.#last?.toString() ?? "";
  }

  /** The client gets whole frames only, so that whatever ends its stream stands in one of its own. */
  push(chunk: Buffer): Carried {
    const { gear } = this.#options;
    const aligned = this.#splitter.empty && this.#unpaid.length === 0;
    const frames = this.#splitter.push(chunk);
    const waiting = this.#unpaid.length === 0 ? frames : [...this.#unpaid, ...frames];
    this.#unpaid = [];
    const kept: Buffer[] = [];
    for (const frame of waiting) {
      const verdict = this.#look(frame);
      if (verdict === "unpaid") {
        this.#unpaid = waiting.slice(waiting.indexOf(frame));
        return { out: Buffer.concat(kept), isDry: true };
      }
      if (verdict === "failed") return { out: Buffer.concat(kept), failure: failedInside() };
      if (verdict === "shown") kept.push(gear === "patched" ? this.#patched(frame) : frame);
    }
    if (gear === "bytes" && aligned && this.#splitter.empty) return { out: chunk };
    return { out: kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept) };
  }

  end(): Buffer {
    const rest = this.#splitter.end();
    const verdict = rest.length === 0 ? "hidden" : this.#look(rest);
    if (verdict === "failed") throw failedInside();
    if (!this.#done) throw new Failure("upstream_error", "The vendor's answer was cut off.");
    const { gear, framing } = this.#options;
    const shown = gear === "patched" ? this.#patched(rest) : rest;
    const last = verdict === "shown" ? shown : Buffer.alloc(0);
    return framing === undefined ? last : Buffer.concat([last, Buffer.from(framing.end())]);
  }

  cut(used: Units): Buffer | undefined {
    const { early, framing } = this.#options;
    const frames = early?.frames(used, this.#sequence)?.map((frame) => this.#patched(Buffer.from(frame)));
    if (frames === undefined) return undefined;
    this.#last = frames.at(-1);
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

  /** Whether a frame's raw text is: its words are read only where the whole of it is not. */
  #isPaid(raw: string, frame: Buffer): boolean {
    const { gate, pass } = this.#options;
    if (gate === undefined || raw === "" || gate.covers(Buffer.byteLength(raw))) return true;
    const thinks = thoughtWords.some((word) => frame.includes(word));
    return gate.admits(Buffer.byteLength(pass.wordsOf(raw)), thinks);
  }

  #look(frame: Buffer): "shown" | "hidden" | "failed" | "unpaid" {
    const { pass, hideUsage, early } = this.#options;
    const seen = pass.see(frame, this.#produced.usage);
    if (seen.failed) return "failed";
    const raw = seen.usageOnly ? "" : pass.written(frame);
    if (!this.#isPaid(raw, frame)) return "unpaid";
    this.#sequence = seen.sequence ?? this.#sequence;
    if (seen.done) {
      this.#done = true;
      this.#last = frame;
    }
    early?.saw(frame, raw);
    this.#produced.add(raw);
    if (seen.usage !== undefined) this.#produced.usage = seen.usage;
    this.#produced.fees?.saw(seen.fees);
    return seen.usageOnly && hideUsage ? "hidden" : "shown";
  }

  #patched(frame: Buffer): Buffer {
    const { pass, rename, framing } = this.#options;
    const renamed = rename === undefined ? frame : pass.renameFrame(frame, rename);
    return framing === undefined ? renamed : Buffer.from(framing.reframe(renamed));
  }
}

function failedInside(): Failure {
  return new Failure("upstream_error", "The vendor failed in the middle of its answer.");
}
