import { formatUsd, type Failure, type Nanos, type Units } from "@modelgate/contracts";
import { addCostToFrames } from "@modelgate/wires/cost";
import type { FrameReading, StreamTranslator } from "./stream-reader.ts";

/** Adds the call's cost to the usage that a stream reports, for clients that request the cost. */
export class CostTranslator implements StreamTranslator {
  readonly #inner: StreamTranslator;
  readonly #costOf: (units: Units) => Nanos;
  #usage: Units | undefined;

  constructor(inner: StreamTranslator, costOf: (units: Units) => Nanos) {
    this.#inner = inner;
    this.#costOf = costOf;
  }

  get contentType(): string {
    return this.#inner.contentType;
  }

  get last(): Buffer | string {
    return this.#inner.last;
  }

  read(frame: Buffer): FrameReading {
    const reading = this.#inner.read(frame);
    this.#usage = reading.usage ?? this.#usage;
    return { ...reading, render: () => this.#withCost(reading.render()) };
  }

  extractText(raw: string): string {
    return this.#inner.extractText(raw);
  }

  mayContainReasoning(frame: Buffer): boolean {
    return this.#inner.mayContainReasoning(frame);
  }

  end(): Buffer | string {
    return this.#withCost(this.#inner.end());
  }

  cut(used: Units): Buffer | string | undefined {
    this.#usage = used;
    const last = this.#inner.cut?.(used);
    return last === undefined ? undefined : this.#withCost(last);
  }

  fail(failure: Failure, requestId: string): string | undefined {
    return this.#inner.fail(failure, requestId);
  }

  heartbeat(): string {
    return this.#inner.heartbeat();
  }

  #withCost(frames: Buffer | string): Buffer | string {
    if (this.#usage === undefined) return frames;
    return addCostToFrames(frames, formatUsd(this.#costOf({ requests: 1, ...this.#usage })));
  }
}
