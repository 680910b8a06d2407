import type { Units } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import {
  dearestTokens,
  estimateTokens,
  isSpoken,
  mostBilledImages,
  priced,
  runCall,
  wholeOutput,
  type CallPlan,
  type Exchange,
  type Measure,
  type Produced,
  type StreamCarrier,
} from "@modelgate/relay";
import { imagesExchange, imagesWiresFor, InputImages, refuseDearer } from "@modelgate/relay/images";
import { imagesInContent } from "@modelgate/wires/images";
import { parseRecord } from "@modelgate/wires/json";
import { SseSplitter } from "@modelgate/wires/sse";
import { parseFrameRecord } from "@modelgate/wires/text";
import type { Deps } from "./deps.ts";
import { drawingSpelling, readDrawing, type Drawing } from "./drawn-content.ts";

const sizeParam = "generationConfig.imageConfig.imageSize";

/**
 * Runs a call for generated content by a model of images, paid for by the image as well as by the token: passed to
 * vendors of that wire, drawn by those of images where there is none. Throws Failure (400) naming the field.
 */
export async function runImage(deps: Deps, call: ServiceCall, plan: CallPlan, drawing: Drawing): Promise<void> {
  const { model, unpriced } = priced(deps.relay, call, drawing.model);
  const wanted = { size: drawing.imageSize, spelling: { size: sizeParam } };
  const paid = (exchange: Exchange): Exchange => {
    if (unpriced === "refuse") refuseDearer(wanted, model.price, exchange);
    return exchange;
  };
  const measured = { ...plan, hearsOut: true, measure: measureOf(plan, deps.relay.limits.outputTokens) };
  if (isSpoken(deps.relay, call, { model: plan.model, wires: ["content"] }))
    return runCall(deps.relay, call, {
      ...measured,
      wires: ["content"],
      exchange: async (wire, way, history) => countingImages(paid(await plan.exchange(wire, way, history))),
    });
  const { ask, tell } = await readDrawing(drawing);
  using input = new InputImages(deps.images, ask.request, call.response);
  const asker = { spelling: drawingSpelling, strict: call.strict };
  await runCall(deps.relay, call, {
    ...measured,
    wires: imagesWiresFor(ask.request),
    exchange: async (wire, { candidate }) =>
      paid(await imagesExchange({ deps: deps.images, asker, ask, input, tell }, wire, candidate.upstreamModel)),
  });
}

function measureOf({ size, model }: CallPlan, usualTokens: number): Measure {
  const { textBytes, mediaTokens, choices } = size;
  const output = wholeOutput(size, model, usualTokens);
  return {
    upper: { images: choices, ...dearestTokens({ input: textBytes + mediaTokens, output }, model.price) },
    most: { images: mostBilledImages(choices) },
    floor: { images: choices, inputTokens: estimateTokens(textBytes) + mediaTokens },
    meter: (told) => Promise.resolve({ units: told ?? { images: choices }, estimated: told === undefined }),
  };
}

/** The same exchange, images being part of its usage. */
function countingImages(exchange: Exchange): Exchange {
  return {
    ...exchange,
    async read(answer) {
      const read = await exchange.read(answer);
      return { ...read, usage: withImages(read.usage, imagesInContent(parseRecord(answer.toString()))) };
    },
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
