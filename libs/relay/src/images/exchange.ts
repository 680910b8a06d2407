import { Failure, type ImagesWire, type Price, type UpstreamWire } from "@modelgate/contracts";
import { inTurnsIfLong } from "@modelgate/platform";
import { beginsIn, eventStreamFraming } from "@modelgate/wires/sse";
import {
  base64InUrl,
  beginsImages,
  costlyMember,
  dataUrlOf,
  imagesPass,
  imageTypeOf,
  maxImagesOf,
  unitsOfImages,
  wires,
  writeImages,
  type ImageRequest,
  type ImagesAnswer,
  type ImagesTask,
  type ImagesVendor,
  type MadeImage,
} from "@modelgate/wires/images";
import { vendorWire, type Parsed } from "@modelgate/wires/wire";
import type { AnswerReader, Exchange, VendorLink, WholeAnswer } from "../answers/exchange.ts";
import { renderSupported, type UnsupportedRules } from "../answers/unsupported.ts";
import { parseAnswer } from "../answers/whole-answer.ts";
import { PassTranslator } from "../answers/pass-translator.ts";
import { isEventStream } from "../answers/stream-reader.ts";
import { mayBeImage, type InputImages } from "./input-images.ts";
import type { ImagesDeps } from "./open-images.ts";
import { setTimeout } from "node:timers/promises";
import { NotFetched, type RemoteFiles } from "@modelgate/channels";

/** A call for images in any wire of a client, read and checked. */
export interface ImagesCall {
  readonly deps: ImagesDeps;
  readonly unsupportedRules: UnsupportedRules;
  readonly parsed: Parsed<ImageRequest>;
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

/** One attempt at images, with a vendor of any wire. Throws Failure (400) for errors of the client's request. */
export async function imagesExchange(call: ImagesCall, wire: UpstreamWire, upstreamModel: string): Promise<Exchange> {
  const { parsed, unsupportedRules, input } = call;
  const { vendor } = vendorWire<ImagesVendor>(wires, wire);
  const request = vendor.needsBytes ? await input.asBytes() : parsed.request;
  const { body: sent, dropped } = renderSupported(unsupportedRules, parsed.dropped, () => {
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
    read: (head) => (isEventStream(head) ? imageStream(request) : imagesTask(call, vendor)),
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
function imagesTask(call: ImagesCall, vendor: ImagesVendor): AnswerReader {
  const parse = async (answer: Buffer) => vendor.parse(await parseAnswer(answer));
  return {
    kind: "task",
    async read(bytes) {
      const parsed = await parse(bytes);
      return {
        usage: "task" in parsed ? undefined : unitsOfImages(parsed),
        async finish(link) {
          const made = "task" in parsed ? await finishTask(parsed, link, parse, call.deps.taskWaitMs) : parsed;
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
  return { usage: unitsOfImages(made), words: () => "", ...render({ ...made, images }) };
}

/** Pauses between polls: short at first, since most images are quick. */
const firstPauseMs = 300;
const longestPauseMs = 2_000;
const pauseGrowth = 1.5;
/** Looks in a row that may fail before the task is given up. */
const maxFailedPolls = 3;
/** Status of a poll that came too soon. */
const tooMany = 429;

/**
 * Waits until a vendor's task is done, for as long as its client does. Throws Failure upstream_timeout where it takes
 * longer than `waitMs`, and what it failed of. A task is never started again: the vendor may be making it still.
 */
export async function finishTask(
  { task }: ImagesTask,
  vendor: VendorLink,
  parse: (answer: Buffer) => Promise<ImagesAnswer | ImagesTask>,
  waitMs: number,
): Promise<ImagesAnswer> {
  const deadline = Date.now() + waitMs;
  let failed = 0;
  for (let pause = firstPauseMs; Date.now() < deadline; pause = Math.min(pause * pauseGrowth, longestPauseMs)) {
    await setTimeout(pause, undefined, { signal: vendor.signal });
    const seen = await poll(vendor, task);
    // A vendor that wants fewer polls works on all the same.
    if (seen instanceof Failure && seen.status === tooMany) continue;
    failed = seen instanceof Failure ? failed + 1 : 0;
    if (seen instanceof Failure) {
      if (seen.status < 500 || failed >= maxFailedPolls) throw seen;
      continue;
    }
    const answer = await parse(seen);
    if (!("task" in answer)) return answer;
  }
  throw new Failure("upstream_timeout", `The vendor's task did not finish within ${waitMs} ms.`);
}

async function poll(vendor: VendorLink, task: string): Promise<Buffer | Failure> {
  try {
    return await vendor.poll(task);
  } catch (error) {
    if (error instanceof Failure && !vendor.signal.aborted) return error;
    throw error;
  }
}

/** Form in which a client wants its images; undefined: as the vendor gives them. Events always hold bytes. */
export function wantedForm({ stream, responseFormat }: ImageRequest): ImageRequest["responseFormat"] {
  return stream ? "b64_json" : responseFormat;
}

/**
 * An image in the form that its client wants, whatever the vendor gave: bytes become an address that holds them, and an
 * address is fetched. Throws Failure upstream_error where that fails.
 */
export async function inWantedForm(
  image: MadeImage,
  wanted: ImageRequest["responseFormat"],
  remote: RemoteFiles,
  vendor: Pick<VendorLink, "origin" | "signal">,
): Promise<MadeImage> {
  const { revisedPrompt } = image;
  if (wanted === "url" && "base64" in image) return { url: dataUrlOf(image.base64), revisedPrompt };
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

/** Values of a request for images that vendors price differently. */
export interface WantedImages {
  readonly quality?: string | undefined;
  /** As `1024x1024`, or a class of size as 4K. */
  readonly size?: string | undefined;
  /** The client's spelling of those two, where it spells them otherwise. */
  readonly spelling: { readonly quality?: string; readonly size?: string };
}

/**
 * Refuses (400) images of a high quality or a large size where nothing but images is paid for: vendors charge a multiple
 * for them, and a price per image knows of one only. By tokens they are paid for as the vendor reports them, and a vendor
 * that does not support the option does not get it.
 */
export function refuseUnpricedTier(wanted: WantedImages, price: Price, { dropped }: Pick<Exchange, "dropped">): void {
  if (!price.has("images") || price.has("outputImageTokens")) return;
  const member = costlyMember(wanted);
  if (member === undefined) return;
  const param = wanted.spelling[member] ?? member;
  if (dropped.includes(param)) return;
  throw new Failure(
    "unsupported_parameter",
    `${param} asks for more than this model's price for an image covers. Leave it out, or ask the operator for a price.`,
    { param },
  );
}
