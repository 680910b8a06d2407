import type { Price, Units } from "@modelgate/contracts";
import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import {
  dearestTokens,
  estimateTokens,
  eventStream,
  mostBilledImages,
  priced,
  runCall,
  type CallPlan,
  type CarriedAnswer,
  type Measure,
  type RequestSize,
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
  imageSpelling,
  mostImagesOf,
  refuseWithoutImage,
  renderImageEvents,
  renderImages,
  type ImageRequest,
  type ImagesAnswer,
} from "@modelgate/wires/images";
import type { Ask } from "@modelgate/wires/kind";
import type { Deps } from "../deps.ts";
import { readImageRequest } from "../read-request.ts";

/** POST /v1/images/generations (interface endpoint 12). */
export function imageGenerations(deps: Deps): EndpointHandler {
  return images(deps, "generation");
}

/** POST /v1/images/edits (interface endpoint 13). */
export function imageEdits(deps: Deps): EndpointHandler {
  return images(deps, "edit");
}

type Act = "generation" | "edit";

function images(deps: Deps, act: Act): EndpointHandler {
  return async (call) => {
    using body = await readImageRequest(deps, call);
    const { ask } = body;
    if (act === "edit") refuseWithoutImage(ask.request);
    using input = new InputImages(deps.images, ask.request, call.response);
    const plan = planImages(deps, call, ask, {
      deps: deps.images,
      asker: { spelling: imageSpelling[ask.request.dialect], strict: call.strict },
      ask,
      input,
      tell: (made) => tell(made, ask.request, act),
    });
    await runCall(deps.relay, call, { ...plan, endUser: body.endUser });
  };
}

/** Images as the one answer of both dialects, or as events of a stream that its vendor does not have. */
function tell(made: ImagesAnswer, { stream }: ImageRequest, act: Act): Pick<CarriedAnswer, "json" | "contentType"> {
  const now = Math.floor(Date.now() / 1_000);
  if (!stream) return { json: Buffer.from(JSON.stringify(renderImages(made, now))) };
  return { json: Buffer.from(renderImageEvents(made, now, act)), contentType: eventStream };
}

function planImages(deps: Deps, call: ServiceCall, ask: Ask<ImageRequest>, asked: ImagesCall): CallPlan {
  const { request } = ask;
  const pass = imagesPass();
  const size: RequestSize = {
    textBytes: ask.textBytes,
    mediaTokens: ask.media.tokens,
    maxOutputTokens: undefined,
    choices: mostImagesOf(request),
  };
  const { unpriced, ...paid } = priced(deps.relay, call, ask.model);
  const wanted: WantedImages = {
    quality: request.quality,
    size: request.size && `${request.size.width}x${request.size.height}`,
    spelling: request.dialect === "qwen" ? { size: imageSpelling.qwen.size } : {},
  };
  return {
    ...paid,
    body: Buffer.alloc(0),
    stream: request.stream,
    hearsOut: true,
    size,
    measure: measureOf(size, deps.relay.limits.outputTokens, paid.model.price),
    wires: imagesWiresFor(request),
    async exchange(wire, { candidate }) {
      const exchange = await imagesExchange(asked, wire, candidate.upstreamModel);
      if (unpriced === "refuse") refuseDearer(wanted, paid.model.price, exchange);
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
    meter(told, _words, outcome) {
      if (outcome === "cancelled" && (told?.images ?? 0) < choices)
        return Promise.resolve({ units: { inputTokens, ...told, images: choices }, estimated: true });
      return Promise.resolve({ units: told ?? { images: choices }, estimated: told === undefined });
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
