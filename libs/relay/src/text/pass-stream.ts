import { Failure } from "@modelgate/contracts";
import { SseSplitter, type Framing, type StreamPassCodec } from "@modelgate/wires";
import { eventStream, type Carried, type StreamCarrier } from "../exchange.ts";
import type { Gear } from "../gear.ts";
import type { Produced } from "../produced.ts";

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
}

/** About half of a raw piece is the frame's own words. */
const share = 0.5;

/** A stream passed on: frames as they came, looked at, a few members changed where they must be. */
export class PassStream implements StreamCarrier {
  readonly contentType: string;
  readonly #options: PassOptions;
  readonly #produced: Produced;
  readonly #splitter = new SseSplitter();
  #done = false;
  #last: Buffer | undefined;
  #sequence: number | undefined;

  constructor(options: PassOptions, produced: Produced) {
    this.#options = options;
    this.#produced = produced;
    this.contentType = options.framing?.contentType ?? eventStream;
    produced.readAs({ wordsOf: options.pass.wordsOf, share });
  }

  /** A wire that ends with its connection may still have a frame to say after its last word. */
  get done(): boolean {
    return this.#done && !this.#options.pass.endsWithConnection;
  }

  get last(): string {
    return this.#last?.toString() ?? "";
  }

  push(chunk: Buffer): Carried {
    const { gear } = this.#options;
    const kept: Buffer[] = [];
    for (const frame of this.#splitter.push(chunk)) {
      const verdict = this.#look(frame);
      if (verdict === "failed") return { out: Buffer.concat(kept), failure: failedInside() };
      if (gear === "patched" && verdict === "shown") kept.push(this.#patched(frame));
    }
    if (gear === "bytes") return { out: chunk };
    return { out: kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept) };
  }

  end(): Buffer {
    const rest = this.#splitter.end();
    const verdict = rest.length === 0 ? "hidden" : this.#look(rest);
    if (verdict === "failed") throw failedInside();
    if (!this.#done) throw new Failure("upstream_error", "The vendor's answer was cut off.");
    const { gear, framing } = this.#options;
    const last = gear === "patched" && verdict === "shown" ? this.#patched(rest) : Buffer.alloc(0);
    return framing === undefined ? last : Buffer.concat([last, Buffer.from(framing.end())]);
  }

  /** What stands half written is closed off by the empty line, so that the error is a frame of its own. */
  fail(failure: Failure, requestId: string): string {
    const { pass, framing } = this.#options;
    const frame = pass.failureFrame(failure, requestId, this.#sequence);
    if (framing !== undefined) return framing.reframe(Buffer.from(frame)) + framing.end();
    return `${this.#isInsideFrame ? "\n\n" : ""}${frame}`;
  }

  /** Only between frames: with one half written the sign would end up inside it. */
  heartbeat(): string {
    if (this.#isInsideFrame) return "";
    return this.#options.framing?.heartbeat() ?? this.#options.pass.heartbeat;
  }

  /** Whether the client has a part of a frame; in the patched gear it gets whole ones only. */
  get #isInsideFrame(): boolean {
    return this.#options.gear === "bytes" && !this.#splitter.empty;
  }

  #look(frame: Buffer): "shown" | "hidden" | "failed" {
    const { pass, hideUsage } = this.#options;
    const seen = pass.see(frame, this.#produced.usage);
    if (seen.failed) return "failed";
    this.#sequence = seen.sequence ?? this.#sequence;
    if (seen.done) {
      this.#done = true;
      this.#last = frame;
    }
    if (seen.usage !== undefined) this.#produced.usage = seen.usage;
    if (seen.usageOnly) return hideUsage ? "hidden" : "shown";
    this.#produced.add(pass.written(frame));
    return "shown";
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
