import {
  costOf,
  Failure,
  priceAt,
  type Nanos,
  type Units,
  type VideoWire,
  type ClientVideoWire,
} from "@modelgate/contracts";
import { vendorOf } from "@modelgate/channels";
import { renderSupported, type ServingModel } from "@modelgate/relay";
import {
  wires,
  type RenderedVideo,
  type VideoRequest,
  type VideoVendor,
  type VideoClient,
} from "@modelgate/wires/video";
import type { TaskRecord } from "@modelgate/accounts";
import type { Candidate } from "@modelgate/catalog";
import { withPlaceholderImages } from "./frames.ts";
import { requestedVideo } from "./show-task.ts";

/** A request for a video after it was read. */
export interface VideoTaskRequest {
  /** Name of the client's wire; `client` reads its requests and renders its answers. */
  readonly clientWire: ClientVideoWire;
  readonly client: VideoClient;
  readonly request: VideoRequest;
  /** Fields of the client's request that the neutral form cannot express. */
  readonly dropped: readonly string[];
  readonly callbackUrl?: string | undefined;
  /** Task whose video is to be changed. The new task must use its channel and key. */
  readonly remix?: TaskRecord | undefined;
}

/** The channels and wires that can start a task. */
export interface UsableRoutes {
  readonly candidates: readonly Candidate[];
  /** Wires that may be used; the client's wire is first. */
  readonly wires: readonly VideoWire[];
}

/** Properties of a request that determine the price of its video. */
export interface VideoMeasure extends Pick<RenderedVideo, "seconds" | "lines"> {
  /** True if the vendor does not receive the size that the client requested. */
  readonly isSizeLost: boolean;
}

/** Returns the properties of a rendered request that determine its price. A remix has the resolution of its source. */
export function measureVideo(
  { client, remix }: VideoTaskRequest,
  { seconds, lines, dropped }: RenderedVideo,
): VideoMeasure {
  const isSizeLost = dropped.includes(client.spelling["size"] ?? "size");
  return { seconds, lines: remix === undefined ? lines : requestedVideo(remix).lines, isSizeLost };
}

/** Returns the units in which a task is billed. Input images cost nothing if the model has no price for images. */
export function unitsOf({ firstFrame, lastFrame }: VideoRequest, { seconds }: VideoMeasure): Units {
  const images = [firstFrame, lastFrame].filter((image) => image !== undefined).length;
  return { seconds, requests: 1, ...(images > 0 ? { images } : {}) };
}

/** Returns the maximum cost of a request over all vendors. Throws Failure (400) if no wire can express it. */
export function maxCost(
  request: VideoTaskRequest,
  routes: UsableRoutes,
  { model, multiplier, unpriced }: ServingModel,
): Nanos {
  return measuresOf(request, routes, unpriced)
    .map((measure) => costOf(unitsOf(request.request, measure), priceAt(model, measure.lines), multiplier))
    .reduce((max, cost) => (cost > max ? cost : max), 0n);
}

/** Returns the properties of the request in each wire and for each vendor's model that may receive it. */
function measuresOf(
  request: VideoTaskRequest,
  { candidates, wires: usable }: UsableRoutes,
  unpriced: ServingModel["unpriced"],
): readonly VideoMeasure[] {
  const measures: VideoMeasure[] = [];
  let failure: Failure | undefined;
  for (const wire of usable) {
    const supporting = candidates.filter(({ channel, upstreamModel }) =>
      vendorOf(channel, upstreamModel)?.wires.includes(wire),
    );
    for (const model of new Set(supporting.map(({ upstreamModel }) => upstreamModel))) {
      try {
        const { vendor }: { readonly vendor: VideoVendor } = wires[wire];
        const withPlaceholders = { ...request, request: withPlaceholderImages(request.request, vendor), dropped: [] };
        measures.push(
          measureVideo(request, renderVideo(withPlaceholders, { wire, model, refusesUnsupported: false, unpriced })),
        );
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failure = error; // the request is not sent in this wire
      }
    }
  }
  if (failure !== undefined && measures.length === 0) throw failure;
  return measures;
}

/** Target of a rendering, and the treatment of fields that the vendor does not support or that have no price. */
export interface VideoTarget {
  readonly wire: VideoWire;
  /** Vendor's name of the model. */
  readonly model: string;
  readonly refusesUnsupported: boolean;
  readonly unpriced: ServingModel["unpriced"];
}

/** Renders a vendor's request. Throws Failure (400) for a field without support or without a price. */
export function renderVideo(
  { client, request, dropped }: Pick<VideoTaskRequest, "client" | "request" | "dropped">,
  { wire, model, refusesUnsupported, unpriced }: VideoTarget,
): RenderedVideo {
  const { vendor }: { readonly vendor: VideoVendor } = wires[wire];
  return renderSupported({ spelling: client.spelling, refusesUnsupported }, dropped, () => {
    const rendered = vendor.render(request, { model });
    const { unpriced: param } = rendered;
    if (param !== undefined && unpriced !== "pass")
      throw new Failure("unsupported_parameter", `${param} is not covered by the price of this model.`, { param });
    return rendered;
  });
}
