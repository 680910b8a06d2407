import type { ServerResponse } from "node:http";
import type { BodySink } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import { SseSplitter, type PassCodec } from "@modelgate/wires";
import type { Gear } from "./gear.ts";
import { brokenOff, type Inlet } from "./inlet.ts";
import type { Produced } from "./produced.ts";

export interface StreamDelivery {
  readonly response: ServerResponse;
  readonly inlet: Inlet;
  readonly wire: PassCodec;
  readonly gear: Gear;
  /** The client's name of the model, where the vendor's is another. */
  readonly rename: string | undefined;
  /** Whether frames that carry only usage are hidden. */
  readonly hideUsage: boolean;
  readonly produced: Produced;
  readonly requestId: string;
  readonly heartbeatMs: number;
  /** Called when the vendor's stream is over and before the client's ends: money is settled first. */
  readonly ending: (failure: Failure | undefined) => void;
}

/** How a delivered stream ended. */
export type StreamEnd =
  | { readonly outcome: "completed" }
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "failed"; readonly failure: Failure };

/**
 * Passes a stream on: frames as they came, with the client's pace (a slow reader pauses the vendor), a sign of life
 * while the vendor is silent, and the wire's own error frame where it breaks. Does not throw.
 */
export function deliverStream(delivery: StreamDelivery): Promise<StreamEnd> {
  return new StreamPass(delivery).ended;
}

/** One stream on its way; it is over once, however many things end it. */
class StreamPass implements BodySink {
  readonly ended: Promise<StreamEnd>;
  readonly #delivery: StreamDelivery;
  readonly #splitter = new SseSplitter();
  readonly #resolve: (end: StreamEnd) => void;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #onDrain: () => void;
  readonly #onClose: () => void;
  #done = false;
  #over = false;

  constructor(delivery: StreamDelivery) {
    const { promise, resolve } = Promise.withResolvers<StreamEnd>();
    const { inlet, response } = delivery;
    this.ended = promise;
    this.#resolve = resolve;
    this.#delivery = delivery;
    this.#onDrain = () => inlet.resume();
    this.#onClose = () => {
      this.#finish({ outcome: "cancelled" });
      inlet.abort();
    };
    this.#heartbeat = setInterval(() => this.#signOfLife(), delivery.heartbeatMs);
    response.on("drain", this.#onDrain).once("close", this.#onClose);
    inlet.pipe(this);
  }

  data(chunk: Buffer): void {
    if (this.#over) return;
    this.#heartbeat.refresh();
    let bytes: Buffer | undefined;
    try {
      bytes = this.#pass(chunk);
    } catch (error) {
      return this.#fail(new Failure("upstream_error", "The vendor's stream is malformed.", { cause: error }));
    }
    if (bytes === undefined)
      return this.#fail(new Failure("upstream_error", "The vendor failed in the middle of its answer."));
    const flows = bytes.length === 0 || this.#delivery.response.write(bytes);
    // Nothing follows the terminal frame: a vendor that then resets, or never closes, has still answered whole.
    if (this.#done) this.end();
    else if (!flows) this.#delivery.inlet.pause();
  }

  end(): void {
    if (this.#over) return;
    const { response, inlet, wire, gear, ending } = this.#delivery;
    const rest = this.#splitter.end();
    if (wire.see(rest).done) this.#done = true;
    if (!this.#done) return this.#fail(new Failure("upstream_error", "The vendor's answer was cut off."));
    ending(undefined);
    this.#finish({ outcome: "completed" });
    // What may still come is read and dropped, so that the connection can serve the next call.
    inlet.resume();
    response.end(gear === "patched" ? rest : undefined);
  }

  broken(error: Error): void {
    this.#fail(brokenOff(error));
  }

  /** The bytes for the client out of a chunk; undefined where the vendor said that it failed. */
  #pass(chunk: Buffer): Buffer | undefined {
    const { wire, gear, produced, hideUsage, rename } = this.#delivery;
    const kept: Buffer[] = [];
    for (const frame of this.#splitter.push(chunk)) {
      const seen = wire.see(frame);
      if (seen.failed) return undefined;
      if (seen.done) this.#done = true;
      else if (seen.usage !== undefined) produced.usage = seen.usage;
      if (!seen.usageOnly) produced.add(frame);
      else if (hideUsage) continue;
      if (gear === "patched") kept.push(rename === undefined || seen.done ? frame : wire.renameFrame(frame, rename));
    }
    if (gear === "bytes") return chunk;
    return kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept);
  }

  #fail(failure: Failure): void {
    if (this.#over) return;
    const { response, inlet, wire, requestId, ending } = this.#delivery;
    // The vendor's exchange was ended because the client left: that is no failure.
    if (response.destroyed) return this.#finish({ outcome: "cancelled" });
    const closeFrame = this.#isInsideFrame ? "\n\n" : "";
    ending(failure);
    this.#finish({ outcome: "failed", failure });
    // What stands half written is closed off by the empty line, so that the error is a frame of its own.
    response.end(`${closeFrame}${wire.failureFrame(failure, requestId)}`);
    inlet.abort();
  }

  /** Only between frames: with one half written the sign would end up inside it. */
  #signOfLife(): void {
    const { response, wire } = this.#delivery;
    if (!response.writableNeedDrain && !this.#isInsideFrame) response.write(wire.heartbeat);
  }

  /** In the bytes gear the client has what the splitter still holds. */
  get #isInsideFrame(): boolean {
    return this.#delivery.gear === "bytes" && !this.#splitter.empty;
  }

  #finish(end: StreamEnd): void {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#heartbeat);
    this.#delivery.response.off("drain", this.#onDrain).off("close", this.#onClose);
    this.#resolve(end);
  }
}
