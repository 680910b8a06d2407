import type { UpstreamWire, ImagesWire } from "@modelgate/contracts";
import { inTurnsIfLong } from "@modelgate/platform";
import { beginsIn, eventStreamFraming } from "@modelgate/wires/sse";
import {
  beginsImages,
  imagesPass,
  maxImagesOf,
  unitsOfImages,
  wires,
  writeImages,
  type ImageRequest,
  type ImagesAnswer,
  type ImagesVendor,
} from "@modelgate/wires/images";
import { vendorWire, type Parsed } from "@modelgate/wires/wire";
import type { AnswerReader, Exchange, VendorLink, WholeAnswer } from "../answers/exchange.ts";
import { renderSupported, type Asker } from "../answers/unsupported.ts";
import { parseAnswer } from "../answers/whole-answer.ts";
import { PassTranslator } from "../answers/pass-translator.ts";
import { isEventStream } from "../answers/stream-reader.ts";
import { finishTask } from "./finish-task.ts";
import type { InputImages } from "./input-images.ts";
import type { ImagesDeps } from "./open-images.ts";
import { inWantedForm, wantedForm } from "./wanted-form.ts";

/** A call for images in any wire of a client, read and checked. */
export interface ImagesCall {
  readonly deps: ImagesDeps;
  readonly asker: Asker;
  readonly ask: Parsed<ImageRequest>;
  readonly input: InputImages;
  /** Renders finished images, in the form that the request wants them, as the client's answer. */
  readonly render: (made: ImagesAnswer) => Pick<WholeAnswer, "body" | "contentType">;
}

/** Wires that a request for images can be served through, best first: some vendors have one endpoint for both acts. */
export function imagesWiresFor({ images }: Pick<ImageRequest, "images">): readonly ImagesWire[] {
  return images.length === 0
    ? ["images", "qwen-images", "qwen-image-tasks", "content", "imagen", "vertex-imagen"]
    : ["image-edits", "qwen-images", "qwen-image-edit-tasks", "content", "images"];
}

/** One attempt at images, with a vendor of any wire. Throws Failure (400) for what the client said wrong. */
export async function imagesExchange(asked: ImagesCall, wire: UpstreamWire, upstreamModel: string): Promise<Exchange> {
  const { ask, asker, input } = asked;
  const { vendor } = vendorWire<ImagesVendor>(wires, wire);
  const request = vendor.needsBytes ? await input.asBytes() : ask.request;
  const { body: sent, dropped } = renderSupported(asker, ask.dropped, () => {
    const rendered = vendor.render(request, { model: upstreamModel });
    return { body: writeImages(rendered), dropped: rendered.dropped };
  });
  return {
    wire,
    body: await inTurnsIfLong(sent.body),
    headers: { "content-type": sent.contentType },
    dropped,
    unrepeatable: vendor.begins === "task",
    streams: request.stream && vendor.streams,
    read: (head) => (isEventStream(head) ? imageStream(request) : imagesTask(asked, vendor)),
  };
}

/** Reads a stream of partial images, which a vendor may answer with. */
function imageStream(request: ImageRequest): AnswerReader {
  return {
    kind: "stream",
    framing: eventStreamFraming,
    begins: (first) => beginsIn({ framing: eventStreamFraming, begins: beginsImages }, first),
    translator: () => new PassTranslator({ pass: imagesPass(maxImagesOf(request)), mode: "bytes" }),
  };
}

/** Reads an answer that is not a stream: images, or a task that makes them; either may still have to be fetched. */
function imagesTask(asked: ImagesCall, vendor: ImagesVendor): AnswerReader {
  const parse = async (answer: Buffer) => vendor.parse(await parseAnswer(answer));
  return {
    kind: "task",
    async read(bytes) {
      const parsed = await parse(bytes);
      return {
        usage: "task" in parsed ? undefined : unitsOfImages(parsed),
        async finish(link) {
          const made = "task" in parsed ? await finishTask(parsed, link, parse, asked.deps.taskWaitMs) : parsed;
          return await finished(asked, made, link);
        },
      };
    },
  };
}

async function finished(
  { deps: { remote }, ask: { request }, render }: ImagesCall,
  made: ImagesAnswer,
  link: VendorLink,
): Promise<WholeAnswer> {
  const wanted = wantedForm(request);
  const images = await Promise.all(made.images.map((image) => inWantedForm(image, wanted, remote, link)));
  return { usage: unitsOfImages(made), words: () => "", ...render({ ...made, images }) };
}
