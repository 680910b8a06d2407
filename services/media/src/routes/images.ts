import type { Price, Units } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import {
  dearestTokens,
  estimateTokens,
  eventStream,
  mostBilledImages,
  runCall,
  type Measure,
  type PlannedCall,
  type PricedModel,
  type RequestSize,
  type WholeAnswer,
} from "@modelgate/relay";
import {
  imagesExchange,
  imagesWiresFor,
  InputImages,
  refuseDearer,
  type ImagesCall,
  type WantedImages,
} from "@modelgate/relay/images";
import {
  imagesPass,
  maxImagesOf,
  refuseWithoutImage,
  sizeOf,
  wires,
  type ImageRequest,
  type ImagesAnswer,
} from "@modelgate/wires/images";
import type { Deps } from "../deps.ts";
import { readImageRequest, type ReadRequest } from "../read-request.ts";

/** POST /v1/images/generations (interface endpoint 12). */
export function imageGenerations(deps: Deps): EndpointHandler {
  return images(deps, "generation");
}

/** POST /v1/images/edits (interface endpoint 13). */
export function imageEdits(deps: Deps): EndpointHandler {
  return images(deps, "edit");
}

/** POST /v1/images/variations: an edit whose prompt is ours. */
export function imageVariations(deps: Deps): EndpointHandler {
  return images(deps, "edit", "Draw a variation of this image.");
}

type Act = "generation" | "edit";

function images(deps: Deps, act: Act, prompt?: string): EndpointHandler {
  return async (call) => {
    using body = await readImageRequest(deps, call, prompt);
    const { ask } = body;
    if (act === "edit") refuseWithoutImage(ask.request);
    using input = new InputImages(deps.images, ask.request, call.answer);
    const asked: ImagesCall = {
      deps: deps.images,
      asker: { spelling: wires[ask.request.dialect].client.spelling, strict: call.strict },
      ask,
      input,
      render: (made) => renderAnswer(made, ask.request, act),
    };
    await runCall(deps.relay, call, ask.request.model, (serving) => planImages(deps, body, asked, serving));
  };
}

/** Renders images as the one answer of both dialects, or as events of a stream that its vendor does not have. */
function renderAnswer(
  made: ImagesAnswer,
  { dialect, stream }: ImageRequest,
  act: Act,
): Pick<WholeAnswer, "body" | "contentType"> {
  const context = { now: Math.floor(Date.now() / 1_000), act };
  const { client } = wires[dialect];
  if (!stream) return { body: Buffer.from(JSON.stringify(client.render(made, context))) };
  return { body: Buffer.from(client.events(made, context)), contentType: eventStream };
}

function planImages(
  deps: Deps,
  { ask, endUser }: ReadRequest,
  asked: ImagesCall,
  { model, unpriced }: PricedModel,
): PlannedCall {
  const { request } = ask;
  const pass = imagesPass();
  const size: RequestSize = {
    ...sizeOf(request),
    choices: maxImagesOf(request),
  };
  const wanted: WantedImages = {
    quality: request.quality,
    size: request.size && `${request.size.width}x${request.size.height}`,
    spelling: request.dialect === "qwen-images" ? { size: wires["qwen-images"].client.spelling.size } : {},
  };
  return {
    endUser,
    hearsOut: true,
    cost: { by: "measure", measure: measureOf(size, deps.relay.limits.outputTokens, model.price) },
    wires: imagesWiresFor(request),
    async exchange({ wire, candidate }) {
      const exchange = await imagesExchange(asked, wire, candidate.upstreamModel);
      if (unpriced === "refuse") refuseDearer(wanted, model.price, exchange);
      return exchange;
    },
    waiting: request.stream ? { contentType: eventStream, sign: pass.heartbeat, fail: pass.failureFrame } : undefined,
  };
}

/**
 * Images are held for as they were asked for, and paid for as they came; tokens where the vendor reports them. A client
 * that leaves before the last one pays for all of them: they were being made.
 */
function measureOf({ textBytes, mediaTokens, choices }: RequestSize, outputTokens: number, price: Price): Measure {
  const inputTokens = estimateTokens(textBytes) + mediaTokens;
  return {
    upper: {
      images: choices,
      ...dearestTokens({ input: textBytes + mediaTokens, output: choices * outputTokens }, price),
    },
    most: { images: mostBilledImages(choices) },
    floor: floorOfImages(inputTokens, choices, price),
    meter(reported, _words, outcome) {
      if (outcome === "cancelled" && (reported?.images ?? 0) < choices)
        return Promise.resolve({ units: { inputTokens, ...reported, images: choices }, estimated: true });
      return Promise.resolve({ units: reported ?? { images: choices }, estimated: reported === undefined });
    },
  };
}

/** No vendor counts fewer tokens for an image that it made. */
const leastImageTokens = 256;

/** What a request for images costs at least, once its vendor has it: they are made whether anybody waits or not. */
function floorOfImages(inputTokens: number, images: number, price: Price): Units {
  const tokens = price.has("images") ? {} : { outputImageTokens: images * leastImageTokens };
  return { inputTokens, images, ...tokens };
}
