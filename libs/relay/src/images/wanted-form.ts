import { NotFetched, type RemoteFiles } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import { base64InUrl, dataUrlOf, imageTypeOf, type ImageRequest, type MadeImage } from "@modelgate/wires/images";
import type { VendorLink } from "../answers/exchange.ts";
import { mayBeImage } from "./input-images.ts";

/** How a client wants its images; undefined: as the vendor gives them. Events always hold bytes. */
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
