import type { UpstreamWire, ImagesWire } from "@modelgate/contracts";
import { inTurnsIfLong } from "@modelgate/platform";
import {
  imagesPass,
  imagesVendors,
  mostImagesOf,
  unitsOfImages,
  type ImageRequest,
  type ImagesAnswer,
  type ImagesVendor,
} from "@modelgate/wires/images";
import type { Ask } from "@modelgate/wires/kind";
import type { CarriedAnswer, Exchange, VendorLink } from "../answers/exchange.ts";
import { tellLosses, type Asker } from "../answers/unsupported.ts";
import { parseAnswer } from "../answers/whole-answer.ts";
import { PassStream } from "../answers/pass-translator.ts";
import { finishTask } from "./finish-task.ts";
import type { InputImages } from "./input-images.ts";
import type { ImagesDeps } from "./open-images.ts";
import { inWantedForm, wantedForm } from "./wanted-form.ts";

/** A call for images in any wire of a client, read and checked. */
export interface ImagesCall {
  readonly deps: ImagesDeps;
  readonly asker: Asker;
  readonly ask: Pick<Ask<ImageRequest>, "request" | "dropped">;
  readonly input: InputImages;
  /** Finished images, in the form that the request wants them, as the client's answer. */
  readonly tell: (made: ImagesAnswer) => Pick<CarriedAnswer, "json" | "contentType">;
}

/** Wires that a request for images can be served through, best first: some vendors have one endpoint for both acts. */
export function imagesWiresFor({ images }: Pick<ImageRequest, "images">): readonly ImagesWire[] {
  return images.length === 0
    ? ["images", "qwen-images", "qwen-image-tasks", "content"]
    : ["image-edits", "qwen-images", "qwen-image-edit-tasks", "content", "images"];
}

/** One attempt at images, with a vendor of any wire. Throws Failure (400) for what the client said wrong. */
export async function imagesExchange(asked: ImagesCall, wire: UpstreamWire, upstreamModel: string): Promise<Exchange> {
  const { ask, asker, input } = asked;
  const vendor = vendorOf(wire);
  const request = vendor.needsBytes ? await input.asBytes() : ask.request;
  const { body: sent, dropped } = tellLosses(asker, ask.dropped, () => {
    const rendered = vendor.renderRequest(request, { model: upstreamModel });
    return { body: rendered, dropped: rendered.dropped };
  });
  return {
    wire,
    body: await inTurnsIfLong(sent.body),
    headers: { "content-type": sent.contentType },
    dropped,
    unrepeatable: vendor.begins === "task",
    asksStream: request.stream && vendor.streams,
    formOf: ({ headers }) => (String(headers["content-type"]).includes("text/event-stream") ? "events" : "whole"),
    refuses: (frame) => imagesPass().see(frame).failed,
    ...answering(asked, vendor),
    stream: (produced) =>
      new PassStream(
        { pass: imagesPass(mostImagesOf(request)), gear: "bytes", rename: undefined, hideUsage: false },
        produced,
      ),
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
function answering(asked: ImagesCall, vendor: ImagesVendor): Pick<Exchange, "read"> {
  const parse = async (answer: Buffer) => vendor.parseAnswer(await parseAnswer(answer));
  return {
    async read(answer) {
      const parsed = await parse(answer);
      return {
        usage: "task" in parsed ? undefined : unitsOfImages(parsed),
        async carry(link) {
          const made = "task" in parsed ? await finishTask(parsed, link, parse, asked.deps.taskWaitMs) : parsed;
          return carry(asked, made, link);
        },
      };
    },
  };
}

async function carry(
  { deps: { remote }, ask: { request }, tell }: ImagesCall,
  made: ImagesAnswer,
  link: VendorLink,
): Promise<CarriedAnswer> {
  const wanted = wantedForm(request);
  const images = await Promise.all(made.images.map((image) => inWantedForm(image, wanted, remote, link)));
  return { usage: unitsOfImages(made), words: () => "", ...tell({ ...made, images }) };
}
