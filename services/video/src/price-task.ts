import {
  costOf,
  Failure,
  priceAt,
  type Nanos,
  type Units,
  type VideoWire,
  type VideoStyle,
} from "@modelgate/contracts";
import { vendorOf } from "@modelgate/channels";
import type { ServingModel } from "@modelgate/relay";
import {
  wires,
  type RenderedVideo,
  type VideoRequest,
  type VideoVendor,
  type VideoClient,
} from "@modelgate/wires/video";
import type { TaskRecord } from "@modelgate/accounts";
import type { Candidate } from "@modelgate/catalog";
import { unfetched } from "./frames.ts";
import { requestedVideo } from "./show-task.ts";

/** A parsed request for a video. */
export interface WantedTask {
  /** The client's style, and its wire. */
  readonly style: VideoStyle;
  readonly client: VideoClient;
  readonly request: VideoRequest;
  /** Fields that the neutral form cannot express. */
  readonly dropped: readonly string[];
  readonly callbackUrl?: string | undefined;
  /** Source of a remix: the task must start at the vendor and key that have its video. */
  readonly remix?: TaskRecord | undefined;
}

/** The channels and wires that can start a task. */
export interface Routes {
  readonly candidates: readonly Candidate[];
  /** Wires that may be used, the client's wire first. */
  readonly wires: readonly VideoWire[];
}

/** Properties that determine the price of a video. */
export interface Measured extends Pick<RenderedVideo, "seconds" | "lines"> {
  /** True if the vendor does not get the size that the client requested. */
  readonly isSizeLost: boolean;
}

/** Returns the properties of a rendered request that determine its price; a remix has the resolution of its source. */
export function measured({ client, remix }: WantedTask, { seconds, lines, dropped }: RenderedVideo): Measured {
  const isSizeLost = dropped.includes(client.spelling["size"] ?? "size");
  return { seconds, lines: remix === undefined ? lines : requestedVideo(remix).lines, isSizeLost };
}

/** Returns the units that a task is billed in; pictures are only counted for models that have a price for them. */
export function unitsOf({ firstFrame, lastFrame }: VideoRequest, { seconds }: Measured): Units {
  const images = [firstFrame, lastFrame].filter((image) => image !== undefined).length;
  return { seconds, requests: 1, ...(images > 0 ? { images } : {}) };
}

/** Returns the maximum cost of a request over all vendors and wires; 0 where no wire supports it. */
export function maxCost(wanted: WantedTask, routes: Routes, { model, multiplier }: ServingModel): Nanos {
  return measuresOf(wanted, routes)
    .map((measure) => costOf(unitsOf(wanted.request, measure), priceAt(model, measure.lines), multiplier))
    .reduce((most, cost) => (cost > most ? cost : most), 0n);
}

/** Returns the measures of the request in each wire that a candidate supports. */
function measuresOf(wanted: WantedTask, { candidates, wires }: Routes): readonly Measured[] {
  const supported = new Set(
    candidates.flatMap(({ channel, upstreamModel }) => vendorOf(channel, upstreamModel)?.wires ?? []),
  );
  return wires
    .filter((wire) => supported.has(wire))
    .flatMap((wire) => {
      try {
        return [measured(wanted, renderedAs(wire, wanted.request))];
      } catch (error) {
        if (error instanceof Failure) return []; // not sent in this wire
        throw error;
      }
    });
}

function renderedAs(wire: VideoWire, request: VideoRequest): RenderedVideo {
  const { vendor }: { readonly vendor: VideoVendor } = wires[wire];
  return vendor.render(unfetched(request, vendor), { model: request.model });
}
