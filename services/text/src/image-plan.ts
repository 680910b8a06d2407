import { Failure, type Units } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import {
  estimateTokens,
  isSpoken,
  wholeOutput,
  type CallPlan,
  type Exchange,
  type Measure,
  type Produced,
  type StreamCarrier,
} from "@modelgate/relay";
import { imagesInContent, parseFrameRecord, parseRecord, SseSplitter } from "@modelgate/wires";
import type { Deps } from "./deps.ts";
import { drawnContent, readDrawing, type Drawing } from "./drawn-content.ts";

/**
 * The plan of generated content by a model of images, paid for by the image as well as by the token: passed to a vendor
 * of that wire, drawn by one of images else. Throws Failure (400) for a model that neither serves.
 */
export function imagePlan(deps: Deps, call: ServiceCall, plan: CallPlan, drawing: Drawing): CallPlan {
  const measured = { ...plan, measure: measureOf(plan, deps.relay.limits.outputTokens) };
  if (isSpoken(deps.relay, call, { model: plan.model, wires: ["content"] }))
    return {
      ...measured,
      wires: ["content"],
      exchange: async (wire, way, history) => countingImages(await plan.exchange(wire, way, history)),
    };
  const read = readDrawing(drawing);
  const { wires } = read;
  if (!isSpoken(deps.relay, call, { model: plan.model, wires }))
    throw new Failure(
      "unsupported_parameter",
      `The vendor of ${plan.model.name} answers in tasks: use POST /v1/images/generations.`,
      { param: "model" },
    );
  return {
    ...measured,
    wires,
    exchange: (wire, { candidate }) => drawnContent(read, wire, candidate.upstreamModel),
  };
}

function measureOf({ size, model }: CallPlan, usualTokens: number): Measure {
  const { textBytes, mediaTokens, choices } = size;
  const outputTokens = wholeOutput(size, model, usualTokens);
  return {
    upper: { images: choices, inputTokens: textBytes + mediaTokens, outputTokens },
    floor: { inputTokens: estimateTokens(textBytes) + mediaTokens },
    meter: (told) => Promise.resolve({ units: told ?? { images: choices }, estimated: told === undefined }),
  };
}

/** The same exchange, images being part of its usage. */
function countingImages(exchange: Exchange): Exchange {
  return {
    ...exchange,
    usageOf: (answer) => withImages(exchange.usageOf(answer), imagesInContent(parseRecord(answer.toString()))),
    stream: (produced) => new CountingStream(exchange.stream(produced), produced),
  };
}

function withImages(usage: Units | undefined, images: number): Units | undefined {
  return images === 0 ? usage : { ...usage, images };
}

/** A stream that passes as it is, its images counted. */
class CountingStream implements StreamCarrier {
  readonly #inner: StreamCarrier;
  readonly #produced: Produced;
  readonly #splitter = new SseSplitter();
  #images = 0;

  constructor(inner: StreamCarrier, produced: Produced) {
    this.#inner = inner;
    this.#produced = produced;
  }

  get contentType(): string {
    return this.#inner.contentType;
  }

  get done(): boolean {
    return this.#inner.done;
  }

  get last(): string {
    return this.#inner.last;
  }

  push(chunk: Buffer) {
    const carried = this.#inner.push(chunk);
    for (const frame of this.#splitter.push(chunk)) this.#images += imagesInContent(parseFrameRecord(frame));
    this.#tell();
    return carried;
  }

  end() {
    const last = this.#inner.end();
    this.#images += imagesInContent(parseFrameRecord(this.#splitter.end()));
    this.#tell();
    return last;
  }

  fail(...told: Parameters<StreamCarrier["fail"]>) {
    return this.#inner.fail(...told);
  }

  heartbeat(): string {
    return this.#inner.heartbeat();
  }

  /** The inner stream tells usage anew with every report. */
  #tell(): void {
    this.#produced.usage = withImages(this.#produced.usage, this.#images);
  }
}
