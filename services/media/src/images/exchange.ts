import { Failure, type UpstreamWire } from "@modelgate/contracts";
import type { Way } from "@modelgate/channels";
import type { ServiceCall } from "@modelgate/platform";
import {
  eventStream,
  lastRemembered,
  PassStream,
  tellLosses,
  type CarriedAnswer,
  type Exchange,
  type VendorLink,
} from "@modelgate/relay";
import {
  imageSpelling,
  imagesPass,
  imagesVendors,
  renderImageEvents,
  renderImages,
  unitsOfImages,
  type Ask,
  type ImageRequest,
  type ImagesAnswer,
  type ImagesVendor,
  type ImagesWire,
} from "@modelgate/wires";
import type { Deps } from "../deps.ts";
import { finishTask } from "./finish-task.ts";
import type { InputImages } from "./input-images.ts";
import { inWantedForm, wantedForm } from "./wanted-form.ts";

/** A call for images, read and checked. */
export interface ImagesCall {
  readonly deps: Deps;
  readonly call: ServiceCall;
  readonly ask: Ask<ImageRequest>;
  readonly act: "generation" | "edit";
  readonly input: InputImages;
}

/** The exchanges of a call for images, with a vendor of any wire. */
export function imageExchanges(asked: ImagesCall): (wire: UpstreamWire, way: Way) => Promise<Exchange> {
  const { ask, call, input } = asked;
  return async (wire, { candidate }) => {
    const vendor = vendorOf(wire);
    const request = vendor.needsBytes ? await input.asBytes() : ask.request;
    const asker = { spelling: imageSpelling[request.dialect], strict: call.strict };
    const { body: sent, dropped } = tellLosses(asker, ask.dropped, () => {
      const rendered = vendor.renderRequest(request, { model: candidate.upstreamModel });
      return { body: rendered, dropped: rendered.dropped };
    });
    return {
      wire,
      body: sent.body,
      headers: { "content-type": sent.contentType },
      dropped,
      unrepeatable: vendor.begins === "task",
      asksStream: request.stream && vendor.streams,
      formOf: ({ headers }) => (String(headers["content-type"]).includes("text/event-stream") ? "events" : "whole"),
      refuses: (frame) => imagesPass().see(frame).failed,
      ...answering(asked, vendor),
      stream: (produced) =>
        new PassStream({ pass: imagesPass(), gear: "bytes", rename: undefined, hideUsage: false }, produced),
    };
  };
}

function vendorOf(wire: UpstreamWire): ImagesVendor {
  if (!isImagesWire(wire)) throw new Error(`${wire} is no wire of images`);
  return imagesVendors[wire];
}

function isImagesWire(wire: UpstreamWire): wire is ImagesWire {
  return Object.hasOwn(imagesVendors, wire);
}

/** How a whole answer of a vendor becomes the client's. */
function answering(asked: ImagesCall, vendor: ImagesVendor): Pick<Exchange, "usageOf" | "whole"> {
  const parse = lastRemembered((answer) => vendor.parseAnswer(jsonIn(answer)));
  return {
    usageOf(answer) {
      try {
        const parsed = parse(answer);
        return "task" in parsed ? undefined : unitsOfImages(parsed);
      } catch {
        return undefined;
      }
    },
    async whole(answer, link) {
      const parsed = parse(answer);
      const made = "task" in parsed ? await finishTask(parsed, link, parse, asked.deps.taskWaitMs) : parsed;
      return carry(asked, made, link);
    },
  };
}

async function carry(
  { deps, ask: { request }, act }: ImagesCall,
  made: ImagesAnswer,
  link: VendorLink,
): Promise<CarriedAnswer> {
  const wanted = wantedForm(request);
  const images = await Promise.all(made.images.map((image) => inWantedForm(image, wanted, deps.remote, link)));
  const told = { ...made, images };
  const now = Math.floor(Date.now() / 1_000);
  const carried = { usage: unitsOfImages(made), words: () => "" };
  if (!request.stream) return { ...carried, json: Buffer.from(JSON.stringify(renderImages(told, now))) };
  const json = Buffer.from(renderImageEvents(told, now, act));
  return { ...carried, json, contentType: eventStream };
}

function jsonIn(answer: Buffer): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(answer.toString());
  } catch (cause) {
    throw new Failure("upstream_error", "The vendor's answer is not valid JSON.", { cause });
  }
}
