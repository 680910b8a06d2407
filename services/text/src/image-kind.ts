import type { Units } from "@modelgate/contracts";
import { once, type ServiceCall } from "@modelgate/platform";
import {
  costliestTokens,
  estimateTokens,
  isSupported,
  maxBilledImages,
  runCall,
  maxHeldOutput,
  parseAnswer,
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
  makeImagesExchange,
  imagesWiresFor,
  InputImages,
  refuseUnpricedTier,
  type ImagesRequest,
} from "@modelgate/relay/images";
import { imagesInContent, type ImageRequest } from "@modelgate/wires/images";
import { parseFrameRecord } from "@modelgate/formats/sse";
import type { Deps } from "./deps.ts";
import { contentImageSpelling, parseContentImage, type ContentImageParams } from "./content-image.ts";
import { TextCallKind, type TextInput, type TextPlan } from "./text-kind.ts";

const contentWires = ["content"] as const;

const sizeParam = "generationConfig.imageConfig.imageSize";

/** Runs a call of the Gemini wire (`generateContent`) with an image model. Throws Failure (400). */
export async function runImage(
  deps: Deps,
  call: ServiceCall,
  input: TextInput,
  params: ContentImageParams,
): Promise<void> {
  using inputs = new DisposableStack();
  const readImages = once(async () => {
    const { parsed, render } = await parseContentImage(params);
    const unsupportedRules = { spelling: contentImageSpelling, refusesUnsupported: call.refusesUnsupported };
    const holding = inputs.use(deps.body.budget.openHolding(call.caller));
    const input = inputs.use(new InputImages(deps.images, parsed.request, call, holding));
    return { request: parsed.request, images: { deps: deps.images, unsupportedRules, parsed, render, input } };
  });
  await runCall(deps.relay, call, new ContentImageKind(deps), { model: params.model, input, params, readImages });
}

interface ContentAsImages {
  readonly request: ImageRequest;
  readonly images: ImagesRequest;
}

interface ContentImageCall {
  readonly model: string;
  readonly input: TextInput;
  readonly params: ContentImageParams;
  /** Returns the request as an image request. The body is parsed only once. */
  readonly readImages: () => Promise<ContentAsImages>;
}

interface ContentImagePlan extends Plan {
  readonly serving: ServingModel;
  readonly params: ContentImageParams;
  readonly text: TextPlan;
  /** The request as an image request; undefined if a vendor with the Gemini wire answers it. */
  readonly images: ImagesRequest | undefined;
}

/** Kind of call: requests of the Gemini wire that an image model answers. */
class ContentImageKind implements CallKind<ContentImageCall, ContentImagePlan> {
  readonly #deps: Deps;
  readonly #text: TextCallKind;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#text = new TextCallKind(deps);
  }

  async plan(
    call: Call,
    { input, params, readImages }: ContentImageCall,
    serving: ServingModel,
  ): Promise<ContentImagePlan> {
    const { model } = serving;
    const { relay } = this.#deps;
    const contentImages = isSupported(relay, call, { model, wires: contentWires }) ? undefined : await readImages();
    const text = await this.#text.plan(call, input, serving);
    return {
      ...text,
      serving,
      params,
      text,
      images: contentImages?.images,
      cost: { by: "measure", measure: measureOf(text.cost.size, model, relay.limits.outputTokens) },
      wires: contentImages === undefined ? contentWires : imagesWiresFor(contentImages.request),
      finishAfterDisconnect: true,
    };
  }

  async exchange(
    plan: ContentImagePlan,
    route: WireRoute,
    history: "withoutSignatures" | undefined,
  ): Promise<Exchange> {
    const { images, params, serving, text } = plan;
    const exchange =
      images === undefined ? await this.#text.exchange(text, route, history) : await makeImagesExchange(images, route);
    const sizedRequest = { size: params.imageSize, spelling: { size: sizeParam } };
    if (serving.unpriced !== "pass") refuseUnpricedTier(sizedRequest, serving.model.price, exchange);
    return images === undefined ? withImageCount(exchange) : exchange;
  }
}

function measureOf(size: RequestSize, model: ServingModel["model"], defaultTokens: number): Measure {
  const { textBytes, mediaTokens, choices } = size;
  const output = maxHeldOutput(size, model, defaultTokens);
  return {
    upper: { images: choices, ...costliestTokens({ input: textBytes + mediaTokens, output }, model.price) },
    bound: { images: maxBilledImages(choices) },
    floor: { images: choices, inputTokens: estimateTokens(textBytes) + mediaTokens },
    meter: (reported) => Promise.resolve({ units: reported ?? { images: choices }, estimated: reported === undefined }),
  };
}

/** Returns the exchange, with the number of images added to the reported usage. */
function withImageCount(exchange: Exchange): Exchange {
  return {
    ...exchange,
    read(head) {
      const reader = exchange.read(head);
      if (reader.kind === "stream")
        return { ...reader, countImages: (frame) => imagesInContent(parseFrameRecord(frame)) };
      if (reader.kind !== "complete") return reader;
      return {
        ...reader,
        async read(bytes: Buffer) {
          const answer = await reader.read(bytes);
          return { ...answer, usage: withImages(answer.usage, imagesInContent(await parseAnswer(bytes))) };
        },
      };
    },
  };
}

function withImages(usage: Units | undefined, images: number): Units | undefined {
  return images === 0 ? usage : { ...usage, images };
}
