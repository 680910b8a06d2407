import type { UpstreamWire } from "@modelgate/contracts";
import type { BufferBudget, EndpointHandler, ServiceCall } from "@modelgate/platform";
import {
  estimateTokens,
  eventStream,
  priced,
  runCall,
  type CallPlan,
  type Measure,
  type RequestSize,
} from "@modelgate/relay";
import { imagesPass, refuseWithoutImage, type Ask, type ImageRequest } from "@modelgate/wires";
import type { Deps } from "../deps.ts";
import { imageExchanges } from "../images/exchange.ts";
import { InputImages } from "../images/input-images.ts";
import { readImageRequest } from "../images/read-request.ts";

/** POST /v1/images/generations (interface endpoint 12). */
export function imageGenerations(deps: Deps): EndpointHandler {
  return images(deps, "generation");
}

/** POST /v1/images/edits (interface endpoint 13). */
export function imageEdits(deps: Deps): EndpointHandler {
  return images(deps, "edit");
}

function images(deps: Deps, act: "generation" | "edit"): EndpointHandler {
  return async (call) => {
    using body = await readImageRequest(deps, call);
    const { ask } = body;
    if (act === "edit") refuseWithoutImage(ask.request);
    using _copies = holdCopies(deps.relay.budget, ask.request);
    using input = new InputImages(deps.remote, ask.request, call.response);
    await runCall(deps.relay, call, planImages(deps, call, ask, imageExchanges({ deps, call, ask, act, input })));
  };
}

/** The images that were read, and the body that they are sent on in, beside the body that they came in. */
const copies = 2;

/** Counts the copies of a request's images against the process's budget. Throws Failure server_overloaded. */
function holdCopies(budget: BufferBudget, { images, mask }: ImageRequest): Disposable {
  const files = [...images, ...(mask === undefined ? [] : [mask])];
  const bytes = copies * files.reduce((sum, image) => sum + (image.kind === "file" ? image.bytes.length : 0), 0);
  budget.take(bytes);
  return { [Symbol.dispose]: () => budget.give(bytes) };
}

/** Wires that a request can be served through, best first: some vendors have one endpoint for both. */
const fromWords: readonly UpstreamWire[] = ["images", "qwen-images", "qwen-image-tasks", "content"];
const fromImages: readonly UpstreamWire[] = [
  "image-edits",
  "qwen-images",
  "qwen-image-edit-tasks",
  "content",
  "images",
];

function planImages(deps: Deps, call: ServiceCall, ask: Ask<ImageRequest>, exchange: CallPlan["exchange"]): CallPlan {
  const { request } = ask;
  const pass = imagesPass();
  const size: RequestSize = {
    textBytes: ask.textBytes,
    mediaTokens: ask.media.tokens,
    maxOutputTokens: undefined,
    choices: request.count ?? 1,
  };
  return {
    ...priced(deps.relay, call, ask.model),
    body: Buffer.alloc(0),
    stream: request.stream,
    size,
    measure: measureOf(size, deps.relay.limits.outputTokens),
    wires: request.images.length === 0 ? fromWords : fromImages,
    exchange,
    waiting: request.stream ? { contentType: eventStream, sign: pass.heartbeat, fail: pass.failureFrame } : undefined,
  };
}

/**
 * Images are held for as they were asked for, and paid for as they came; tokens where the vendor reports them. A client
 * that leaves while the first one is shown in part pays for it: it was being made.
 */
function measureOf({ textBytes, mediaTokens, choices }: RequestSize, outputTokens: number): Measure {
  const inputTokens = estimateTokens(textBytes) + mediaTokens;
  return {
    upper: { images: choices, inputTokens: textBytes + mediaTokens, outputTokens: choices * outputTokens },
    floor: {},
    meter(told, _words, outcome) {
      const left = outcome === "cancelled" && (told?.images ?? 0) === 0;
      if (left) return Promise.resolve({ units: { inputTokens, ...told, images: 1 }, estimated: true });
      return Promise.resolve({ units: told ?? { images: choices }, estimated: told === undefined });
    },
  };
}
