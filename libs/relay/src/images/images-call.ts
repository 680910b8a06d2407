import { Failure, imageEditWires, imageGenerationWires, type ImagesWire, type Price } from "@modelgate/contracts";
import { inTurnsIfLong } from "@modelgate/platform";
import { isStreamStart, eventStreamFraming } from "@modelgate/formats/sse";
import {
  base64InUrl,
  memberAboveStandardPrice,
  imageDataUrl,
  imageTypeOf,
  maxImagesOf,
  wires,
  writeImages,
  type ImageRequest,
  type ImagesAnswer,
  type ImagesVendor,
  type MadeImage,
  type RenderedImages,
} from "@modelgate/wires/images";
import { vendorWire, type Parsed } from "@modelgate/wires/wire";
import type { AnswerReader, Exchange, VendorLink, CompleteAnswer } from "../answers/exchange.ts";
import { exchangeWith, type ConvertedCall } from "../answers/exchange-with.ts";
import type { UnsupportedRules } from "../answers/unsupported.ts";
import { PassTranslator } from "../answers/pass-translator.ts";
import { isEventStream } from "../answers/stream-reader.ts";
import type { InputImages } from "./input-images.ts";
import type { ImagesDeps } from "./open-images.ts";
import { mayBeImage, NotFetched, type RemoteFiles, type WireRoute } from "@modelgate/channels";

/** A checked image request of any client wire. */
export interface ImagesRequest {
  readonly deps: ImagesDeps;
  readonly unsupportedRules: UnsupportedRules;
  readonly parsed: Parsed<ImageRequest>;
  readonly input: InputImages;
  readonly render: (images: ImagesAnswer) => Pick<CompleteAnswer, "body" | "contentType">;
}

/** Returns the wires in which a request for images can be sent, best first. */
export function imagesWiresFor({ images }: Pick<ImageRequest, "images">): readonly ImagesWire[] {
  return images.length === 0 ? imageGenerationWires : imageEditWires;
}

/** Creates the exchange of one attempt of an image request. Throws Failure as `exchangeWith` does. */
export function makeImagesExchange(
  request: ImagesRequest,
  { wire, candidate: { channel, upstreamModel } }: WireRoute,
): Promise<Exchange> {
  const target = { model: upstreamModel };
  return exchangeWith(vendorWire<ImagesVendor>(wires, wire), imagesCall(request, channel.proxy), target);
}

type ImagesCall = ConvertedCall<ImagesVendor, ImageRequest, ImagesAnswer, RenderedImages>;

/** Builds the call that `exchangeWith` converts. `proxy` is the channel's proxy, through which images are fetched. */
function imagesCall(
  { deps, unsupportedRules, parsed, input, render }: ImagesRequest,
  proxy: string | undefined,
): ImagesCall {
  const { request, dropped } = parsed;
  const format = requestedFormat(request);
  return {
    unsupportedRules,
    dropped,
    bodyBytes: 0,
    taskWaitMs: deps.taskWaitMs,
    firstPollMs: deps.firstPollMs,
    requests: async (vendor) => [
      vendor.needsBytes === true ? { ...request, ...(await input.asBytes(proxy)) } : request,
    ],
    async write(rendered) {
      const { body, contentType } = writeImages(rendered);
      const isStreamed = rendered.body["stream"] === true;
      return { body: await inTurnsIfLong(body), headers: { "content-type": contentType }, isStreamed };
    },
    reader: (head) => (isEventStream(head) ? imageStream(request) : undefined),
    async complete(answer, link) {
      const { holder } = input;
      const convert = (image: MadeImage) => inRequestedFormat(image, format, deps.remote, { ...link, holder });
      const images = await Promise.all(answer.images.map(convert));
      return { ...answer, images };
    },
    render: ([{ answer }]) => ({ usage: answer.usage, ...render(answer) }),
  };
}

/** Creates the reader of partial images, which is the same in all wires that support them. */
function imageStream(request: ImageRequest): AnswerReader {
  const { pass } = wires.images;
  return {
    kind: "stream",
    framing: eventStreamFraming,
    isFirstFrame: (first) => isStreamStart(pass, first),
    translator: () => new PassTranslator({ pass: pass.stream(maxImagesOf(request)), mode: "bytes" }),
  };
}

/**
 * Returns the form in which the client receives its images; undefined if it receives them as the vendor returns them.
 * Events of a stream always contain base64.
 */
export function requestedFormat({ stream, responseFormat }: ImageRequest): ImageRequest["responseFormat"] {
  return stream ? "b64_json" : responseFormat;
}

/**
 * Converts an image to the requested form: base64 to a data URL, or a URL to the image's bytes. Throws Failure
 * upstream_error if they cannot be fetched.
 */
export async function inRequestedFormat(
  image: MadeImage,
  format: ImageRequest["responseFormat"],
  remote: RemoteFiles,
  vendor: ImageSource,
): Promise<MadeImage> {
  const { revisedPrompt } = image;
  if (format === "url" && "base64" in image) return { url: imageDataUrl(image.base64), revisedPrompt };
  if (format !== "b64_json" || !("url" in image)) return image;
  return { base64: base64InUrl(image.url) ?? (await fetchMadeImage(image.url, remote, vendor)), revisedPrompt };
}

type ImageSource = Pick<VendorLink, "origin" | "proxy" | "signal"> & Pick<InputImages, "holder">;

async function fetchMadeImage(
  url: string,
  remote: RemoteFiles,
  { origin: trustedOrigin, holder, proxy, signal }: ImageSource,
): Promise<string> {
  try {
    using file = await remote.fetch({ url, accepts: mayBeImage, holder, trustedOrigin, proxy, signal });
    if (imageTypeOf(file.bytes) === undefined) throw new NotFetched("it is not an image");
    return file.bytes.toString("base64");
  } catch (cause) {
    if (!(cause instanceof NotFetched)) throw cause;
    throw new Failure("upstream_error", `The vendor's image cannot be fetched: ${cause.message}.`, { cause });
  }
}

/** Fields of an image request on which vendors' prices depend. */
export interface PricedImages {
  readonly quality?: string | undefined;
  /** A size such as `1024x1024`, or a size class such as `4K`. */
  readonly size?: unknown;
  /** Names of these fields in the client's request, if they differ. */
  readonly spelling: { readonly quality?: string; readonly size?: string };
}

/**
 * Refuses (400) images of high quality or large size if the model has only one price per image. Vendors charge several
 * times as much for them.
 */
export function refuseUnpricedTier(priced: PricedImages, price: Price, { dropped }: Pick<Exchange, "dropped">): void {
  // A price per output token covers the higher cost.
  if (!price.has("images") || price.has("outputImageTokens")) return;
  const member = memberAboveStandardPrice(priced);
  if (member === undefined) return;
  const param = priced.spelling[member] ?? member;
  // The vendor does not get a dropped field.
  if (dropped.includes(param)) return;
  throw new Failure(
    "unsupported_parameter",
    `${param} is not covered by this model's image price. Leave it out, or ask the operator to set a price.`,
    { param },
  );
}
