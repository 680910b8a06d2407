import { Failure, type ImagesWire, type Price, type UpstreamWire } from "@modelgate/contracts";
import { inTurnsIfLong } from "@modelgate/platform";
import { beginsIn, eventStreamFraming } from "@modelgate/wires/sse";
import {
  base64InUrl,
  memberAboveStandardPrice,
  imageDataUrl,
  imageTypeOf,
  maxImagesOf,
  imageUnits,
  wires,
  writeImages,
  type ImageRequest,
  type ImagesAnswer,
  type ImagesPass,
  type ImagesVendor,
  type MadeImage,
} from "@modelgate/wires/images";
import { vendorWire, type Parsed } from "@modelgate/wires/wire";
import type { AnswerReader, Exchange, VendorLink, WholeAnswer } from "../answers/exchange.ts";
import { renderSupported, type UnsupportedRules } from "../answers/unsupported.ts";
import { finishTask } from "../answers/finish-task.ts";
import { parseAnswer } from "../answers/whole-answer.ts";
import { PassTranslator } from "../answers/pass-translator.ts";
import { isEventStream } from "../answers/stream-reader.ts";
import { mayBeImage, type InputImages } from "./input-images.ts";
import type { ImagesDeps } from "./open-images.ts";
import { NotFetched, type RemoteFiles } from "@modelgate/channels";

/** An image request in any client wire, read and checked, with what its exchanges need. */
export interface ImagesCall {
  readonly deps: ImagesDeps;
  readonly unsupportedRules: UnsupportedRules;
  readonly parsed: Parsed<ImageRequest>;
  readonly input: InputImages;
  /** Renders finished images as the client's answer. */
  readonly render: (made: ImagesAnswer) => Pick<WholeAnswer, "body" | "contentType">;
}

/**
 * Returns the wires (API formats) in which a request for images can be sent, best first. Some wires serve both
 * generating and editing.
 */
export function imagesWiresFor({ images }: Pick<ImageRequest, "images">): readonly ImagesWire[] {
  return images.length === 0
    ? ["images", "qwen-images", "qwen-image-tasks", "content", "imagen", "vertex-imagen"]
    : ["image-edits", "qwen-images", "qwen-image-edit-tasks", "content", "images"];
}

/** Builds the exchange of one attempt in the vendor's wire. Throws Failure (400) for errors in the client's request. */
export async function imagesExchange(call: ImagesCall, wire: UpstreamWire, upstreamModel: string): Promise<Exchange> {
  const { parsed, unsupportedRules, input } = call;
  const { vendor, pass } = vendorWire<ImagesVendor, ImagesPass>(wires, wire);
  const request = vendor.needsBytes === true ? await input.asBytes() : parsed.request;
  const { body: sent, dropped } = renderSupported(unsupportedRules, parsed.dropped, () => {
    const rendered = vendor.render(request, { model: upstreamModel });
    return { body: writeImages(rendered), dropped: rendered.dropped };
  });
  return {
    wire,
    body: await inTurnsIfLong(sent.body),
    headers: { "content-type": sent.contentType },
    dropped,
    unrepeatable: vendor.startsTask,
    streams: request.stream && pass !== undefined,
    read: (head) => (isEventStream(head) ? imageStream(request) : imagesTask(call, vendor)),
  };
}

/** Reads a stream of partial images, which is the same in all wires that support it. */
function imageStream(request: ImageRequest): AnswerReader {
  const { pass } = wires.images;
  return {
    kind: "stream",
    framing: eventStreamFraming,
    begins: (first) => beginsIn({ framing: eventStreamFraming, begins: pass.begins }, first),
    translator: () => new PassTranslator({ pass: pass.stream(maxImagesOf(request)), mode: "bytes" }),
  };
}

/**
 * Reads an answer that is not a stream: images, or the start of a task that creates them. The images may have to be
 * fetched.
 */
function imagesTask(call: ImagesCall, vendor: ImagesVendor): AnswerReader {
  const parse = async (answer: Buffer) => vendor.parse(await parseAnswer(answer));
  const finishedImages = async (answer: Buffer): Promise<ImagesAnswer | undefined> => {
    const seen = await parse(answer);
    return "task" in seen ? undefined : seen;
  };
  return {
    kind: "task",
    async read(bytes) {
      const parsed = await parse(bytes);
      return {
        usage: "task" in parsed ? undefined : imageUnits(parsed),
        async finish(link) {
          const made =
            "task" in parsed ? await finishTask(parsed.task, link, finishedImages, call.deps.taskWaitMs) : parsed;
          return await finished(call, made, link);
        },
      };
    },
  };
}

async function finished(
  { deps: { remote }, parsed: { request }, render }: ImagesCall,
  made: ImagesAnswer,
  link: VendorLink,
): Promise<WholeAnswer> {
  const wanted = wantedForm(request);
  const images = await Promise.all(made.images.map((image) => inWantedForm(image, wanted, remote, link)));
  return { usage: imageUnits(made), words: () => "", ...render({ ...made, images }) };
}

/**
 * Returns the form in which the client receives its images: as URLs or as base64. Undefined: as the vendor returns
 * them. Events of a stream always contain base64.
 */
export function wantedForm({ stream, responseFormat }: ImageRequest): ImageRequest["responseFormat"] {
  return stream ? "b64_json" : responseFormat;
}

/**
 * Converts an image to the form that the client requested: base64 becomes a data URL, and the bytes of a URL are
 * fetched. Throws Failure upstream_error if they cannot be fetched.
 */
export async function inWantedForm(
  image: MadeImage,
  wanted: ImageRequest["responseFormat"],
  remote: RemoteFiles,
  vendor: Pick<VendorLink, "origin" | "signal">,
): Promise<MadeImage> {
  const { revisedPrompt } = image;
  if (wanted === "url" && "base64" in image) return { url: imageDataUrl(image.base64), revisedPrompt };
  if (wanted !== "b64_json" || !("url" in image)) return image;
  return { base64: base64InUrl(image.url) ?? (await fetchMade(image.url, remote, vendor)), revisedPrompt };
}

async function fetchMade(
  url: string,
  remote: RemoteFiles,
  { origin: trustedOrigin, signal }: Pick<VendorLink, "origin" | "signal">,
): Promise<string> {
  try {
    using file = await remote.fetch({ url, accepts: mayBeImage, trustedOrigin, signal });
    if (imageTypeOf(file.bytes) === undefined) throw new NotFetched("it is not an image");
    return file.bytes.toString("base64");
  } catch (cause) {
    if (!(cause instanceof NotFetched)) throw cause;
    throw new Failure("upstream_error", `The vendor's image cannot be fetched: ${cause.message}.`, { cause });
  }
}

/** Fields of an image request on which vendors' prices depend. */
export interface WantedImages {
  readonly quality?: string | undefined;
  /** A size such as `1024x1024`, or a size class such as `4K`. */
  readonly size?: string | undefined;
  /** Names of these fields in the client's request, if they differ. */
  readonly spelling: { readonly quality?: string; readonly size?: string };
}

/**
 * Refuses (400) images of high quality or large size if the model has only a price per image, because vendors charge
 * several times as much for these. A price per output token covers them. A field that was dropped because the vendor
 * does not support it needs no check.
 */
export function refuseUnpricedTier(wanted: WantedImages, price: Price, { dropped }: Pick<Exchange, "dropped">): void {
  if (!price.has("images") || price.has("outputImageTokens")) return;
  const member = memberAboveStandardPrice(wanted);
  if (member === undefined) return;
  const param = wanted.spelling[member] ?? member;
  if (dropped.includes(param)) return;
  throw new Failure(
    "unsupported_parameter",
    `${param} asks for more than this model's price for an image covers. Leave it out, or ask the operator for a price.`,
    { param },
  );
}
