import { Failure, type Price, type Units } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import {
  costliestTokens,
  estimateTokens,
  eventStream,
  isSupported,
  maxBilledImages,
  runCall,
  type Call,
  type CallKind,
  type Exchange,
  type Measure,
  type Plan,
  type RequestSize,
  type ServingModel,
  type PendingStream,
  type CompleteAnswer,
  type WireRoute,
} from "@modelgate/relay";
import {
  makeImagesExchange,
  imagesWiresFor,
  InputImages,
  refuseUnpricedTier,
  type ImagesRequest,
  type PricedImages,
} from "@modelgate/relay/images";
import {
  maxImagesOf,
  minImagesOf,
  refuseWithoutImage,
  measureInput,
  wires,
  type ImageRequest,
  type ImagesAnswer,
} from "@modelgate/wires/images";
import type { Deps } from "../deps.ts";
import { readImageRequest, type ImagesBody } from "../read-request.ts";
import { geminiImageTokens, tokensPerImage, type ImageTokens } from "./image-tokens.ts";

/** POST /v1/images/generations. */
export function imageGenerations(deps: Deps): EndpointHandler {
  return imagesHandler(deps, "generation");
}

/** POST /v1/images/edits. */
export function imageEdits(deps: Deps): EndpointHandler {
  return imagesHandler(deps, "edit");
}

/** POST /v1/images/variations: an edit with a fixed prompt. */
export function imageVariations(deps: Deps): EndpointHandler {
  return imagesHandler(deps, "edit", "Draw a variation of this image.");
}

type ImageAction = "generation" | "edit";

function imagesHandler(deps: Deps, act: ImageAction, prompt?: string): EndpointHandler {
  const kind = new ImagesKind(deps);
  return async (call) => {
    using body = await readImageRequest(deps, call, prompt);
    const { parsed, endUser } = body;
    if (act === "edit") refuseWithoutImage(parsed.request);
    using input = new InputImages(deps.images, parsed.request, call, body.holding);
    const images = {
      deps: deps.images,
      unsupportedRules: {
        spelling: wires[parsed.request.dialect].client.spelling,
        refusesUnsupported: call.refusesUnsupported,
      },
      parsed,
      input,
      render: (answer: ImagesAnswer) => renderAnswer(answer, parsed.request, act),
    };
    await runCall(deps.relay, call, kind, { model: parsed.request.model, parsed, endUser, images });
  };
}

function renderAnswer(
  answer: ImagesAnswer,
  { dialect, stream }: ImageRequest,
  act: ImageAction,
): Pick<CompleteAnswer, "body" | "contentType"> {
  const context = { now: Math.floor(Date.now() / 1_000), act };
  const { client } = wires[dialect];
  if (!stream) return { body: Buffer.from(JSON.stringify(client.render(answer, context))) };
  return { body: Buffer.from(client.renderStream(answer, context)), contentType: eventStream };
}

interface MediaRequest extends Pick<ImagesBody, "parsed" | "endUser"> {
  readonly model: string;
  readonly images: ImagesRequest;
}

interface ImagesPlan extends Plan {
  readonly images: ImagesRequest;
  /** Quality and size to be checked against the price; undefined if the group has `unpriced: pass`. */
  readonly priceCheck: { readonly images: PricedImages; readonly price: Price } | undefined;
}

/** Wires whose vendors count the tokens of an image by its size. */
const sizeCountedWires = ["images", "image-edits"] as const;

class ImagesKind implements CallKind<MediaRequest, ImagesPlan> {
  readonly #relay: Deps["relay"];

  constructor({ relay }: Deps) {
    this.#relay = relay;
  }

  plan(call: Call, { parsed, endUser, images }: MediaRequest, { model, unpriced }: ServingModel): ImagesPlan {
    const { request } = parsed;
    const choices = maxImagesOf(request);
    const isSizeCounted = isSupported(this.#relay, call, { model, wires: sizeCountedWires });
    const imageTokens = isSizeCounted ? tokensPerImage(request) : geminiImageTokens;
    const requestSize: ImagesSize = { ...measureInput(request), choices, certainImages: minImagesOf(request) };
    return {
      images: unpriced === "drop" ? withoutTools(images) : images,
      endUser,
      finishAfterDisconnect: true,
      cost: {
        by: "measure",
        measure: measureOf(requestSize, imageTokens, this.#relay.limits.outputTokens, model.price),
      },
      wires: imagesWiresFor(request),
      pendingStream: request.stream ? pendingImageStream : undefined,
      priceCheck: unpriced !== "pass" ? { images: pricedImagesOf(request), price: model.price } : undefined,
    };
  }

  async exchange({ images, priceCheck }: ImagesPlan, route: WireRoute): Promise<Exchange> {
    const exchange = await makeImagesExchange(images, route);
    if (priceCheck === undefined) return exchange;
    refuseTools(images.parsed.request, exchange);
    refuseUnpricedTier(priceCheck.images, priceCheck.price, exchange);
    return exchange;
  }
}

const { heartbeat, failureFrame } = wires.images.pass.stream();

/** Content type, heartbeat and failure of an image stream that has not begun. */
const pendingImageStream: PendingStream = { contentType: eventStream, heartbeat: heartbeat, fail: failureFrame };

function pricedImagesOf({ quality, size, dialect, additional }: ImageRequest): PricedImages {
  const sizeClass = additional?.members["size"];
  return {
    quality,
    size: size === undefined ? sizeClass : `${size.width}x${size.height}`,
    spelling: dialect === "qwen-images" ? { size: wires["qwen-images"].client.spelling.size } : {},
  };
}

/** Removes tools that the vendor runs, such as Seedream's web search. No unit counts their calls. */
function withoutTools(images: ImagesRequest): ImagesRequest {
  const { request, dropped } = images.parsed;
  const { additional } = request;
  const path = pathOfTools(request);
  if (additional === undefined || path === undefined) return images;
  const members = Object.fromEntries(Object.entries(additional.members).filter(([name]) => name !== "tools"));
  const parsed = { request: { ...request, additional: { ...additional, members } }, dropped: [...dropped, path] };
  return { ...images, parsed };
}

/** Refuses (400) a request with tools that the vendor runs, unless they were dropped. */
function refuseTools(request: ImageRequest, { dropped }: Pick<Exchange, "dropped">): void {
  const param = pathOfTools(request);
  if (param === undefined || dropped.includes(param)) return;
  throw new Failure("unsupported_parameter", `${param} is not covered by the price of this model.`, { param });
}

/** Returns the path of the request's tools; undefined if it has none. */
function pathOfTools({ additional, dialect }: ImageRequest): string | undefined {
  const tools = additional?.members["tools"] ?? [];
  if (Array.isArray(tools) && tools.length === 0) return undefined;
  return dialect === "qwen-images" ? "parameters.tools" : "tools";
}

interface ImagesSize extends RequestSize {
  /** Images that the vendor makes for certain. */
  readonly certainImages: number;
}

/**
 * Measures an image call. A client that disconnects early pays for the images that the vendor makes anyway.
 */
function measureOf(
  { textBytes, mediaTokens, choices, certainImages }: ImagesSize,
  imageTokens: ImageTokens,
  outputTokens: number,
  price: Price,
): Measure {
  const inputTokens = estimateTokens(textBytes) + mediaTokens;
  const heldTokens = choices * Math.max(outputTokens, imageTokens.held);
  return {
    upper: { images: choices, ...costliestTokens({ input: textBytes + mediaTokens, output: heldTokens }, price) },
    bound: { images: maxBilledImages(choices) },
    floor: floorOfImages(inputTokens, certainImages, price),
    meter(reported, _words, callStatus) {
      const missing = certainImages - (reported?.images ?? 0);
      if (callStatus === "cancelled" && missing > 0) {
        const outputImageTokens =
          (reported?.outputImageTokens ?? 0) + missing * Math.min(outputTokens, imageTokens.estimated);
        const tokens = price.has("images") ? {} : { outputImageTokens };
        return Promise.resolve({
          units: { inputTokens, ...reported, ...tokens, images: certainImages },
          estimated: true,
        });
      }
      return Promise.resolve({ units: reported ?? { images: certainImages }, estimated: reported === undefined });
    },
  };
}

/** Minimum output tokens that a vendor counts for one image. */
const minImageTokens = 256;

/** Returns the usage that is certain. The vendor makes the images even if the client disconnects. */
function floorOfImages(inputTokens: number, images: number, price: Price): Units {
  const tokens = price.has("images") ? {} : { outputImageTokens: images * minImageTokens };
  return { inputTokens, images, ...tokens };
}
