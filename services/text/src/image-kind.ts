import type { Units } from "@modelgate/contracts";
import { once, type ServiceCall } from "@modelgate/platform";
import {
  costliestTokens,
  estimateTokens,
  isSupported,
  maxBilledImages,
  runCall,
  wholeOutput,
  type Call,
  type CallKind,
  type Exchange,
  type Measure,
  type Plan,
  type RequestSize,
  type ServingModel,
  type WireRoute,
} from "@modelgate/relay";
import {
  imagesExchange,
  imagesWiresFor,
  InputImages,
  refuseUnpricedTier,
  type ImagesCall,
} from "@modelgate/relay/images";
import { imagesInContent } from "@modelgate/wires/images";
import { parseRecord } from "@modelgate/wires/json";
import { parseFrameRecord } from "@modelgate/wires/sse";
import type { Deps } from "./deps.ts";
import { drawingSpelling, readDrawing, type Drawing } from "./drawn-content.ts";
import { TextCallKind, type TextInput, type TextPlan } from "./text-kind.ts";

const sizeParam = "generationConfig.imageConfig.imageSize";

/**
 * Runs a generated-content call to an image model, which is priced by image and by token. Vendors of the Gemini wire
 * get the request as it came; others get it converted to an image request. Throws Failure (400) naming the field.
 */
export async function runImage(deps: Deps, call: ServiceCall, input: TextInput, drawing: Drawing): Promise<void> {
  using inputs = new DisposableStack();
  const drawn = once(async () => {
    const { parsed, render } = await readDrawing(drawing);
    const unsupportedRules = { spelling: drawingSpelling, strict: call.strict };
    const images = inputs.use(new InputImages(deps.images, parsed.request, call.ending));
    return { deps: deps.images, unsupportedRules, parsed, render, input: images };
  });
  await runCall(deps.relay, call, new DrawingKind(deps), { model: drawing.model, input, drawing, drawn });
}

/** A generated-content request to an image model. */
interface DrawingRequest {
  readonly model: string;
  readonly input: TextInput;
  readonly drawing: Drawing;
  /** Parses it as an image request. */
  readonly drawn: () => Promise<ImagesCall>;
}

/** Plan of such a call with one model. */
interface DrawingPlan extends Plan {
  readonly serving: ServingModel;
  readonly drawing: Drawing;
  readonly text: TextPlan;
  /** The request as an image request; undefined where a vendor of the Gemini wire answers it. */
  readonly images: ImagesCall | undefined;
}

/** Call kind: generated content that an image model produces. */
class DrawingKind implements CallKind<DrawingRequest, DrawingPlan> {
  readonly #deps: Deps;
  readonly #text: TextCallKind;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#text = new TextCallKind(deps);
  }

  async plan(call: Call, { input, drawing, drawn }: DrawingRequest, serving: ServingModel): Promise<DrawingPlan> {
    const { model } = serving;
    const { relay } = this.#deps;
    const images = isSupported(relay, call, { model, wires: ["content"] }) ? undefined : await drawn();
    const text = await this.#text.plan(call, input, serving);
    return {
      ...text,
      serving,
      drawing,
      text,
      images,
      cost: { by: "measure", measure: measureOf(text.cost.size, model, relay.limits.outputTokens) },
      wires: images === undefined ? ["content"] : imagesWiresFor(images.parsed.request),
      finishAfterDisconnect: true,
    };
  }

  async exchange(plan: DrawingPlan, route: WireRoute, history: "unsealed" | undefined): Promise<Exchange> {
    const { images, drawing, serving, text } = plan;
    const { wire, candidate } = route;
    const exchange =
      images === undefined
        ? await this.#text.exchange(text, route, history)
        : await imagesExchange(images, wire, candidate.upstreamModel);
    const wanted = { size: drawing.imageSize, spelling: { size: sizeParam } };
    if (serving.unpriced !== "pass") refuseUnpricedTier(wanted, serving.model.price, exchange);
    return images === undefined ? countingImages(exchange) : exchange;
  }
}

function measureOf(size: RequestSize, model: ServingModel["model"], usualTokens: number): Measure {
  const { textBytes, mediaTokens, choices } = size;
  const output = wholeOutput(size, model, usualTokens);
  return {
    upper: { images: choices, ...costliestTokens({ input: textBytes + mediaTokens, output }, model.price) },
    most: { images: maxBilledImages(choices) },
    floor: { images: choices, inputTokens: estimateTokens(textBytes) + mediaTokens },
    meter: (reported) => Promise.resolve({ units: reported ?? { images: choices }, estimated: reported === undefined }),
  };
}

/** Returns the exchange with images counted in its usage. */
function countingImages(exchange: Exchange): Exchange {
  return {
    ...exchange,
    read(head) {
      const reader = exchange.read(head);
      if (reader.kind === "stream")
        return { ...reader, countImages: (frame) => imagesInContent(parseFrameRecord(frame)) };
      if (reader.kind !== "whole") return reader;
      return {
        ...reader,
        async read(bytes: Buffer) {
          const answer = await reader.read(bytes);
          return { ...answer, usage: withImages(answer.usage, imagesInContent(parseRecord(bytes.toString()))) };
        },
      };
    },
  };
}

function withImages(usage: Units | undefined, images: number): Units | undefined {
  return images === 0 ? usage : { ...usage, images };
}
