import { mayBeImage, NotFetched, type RemoteFiles } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import type { Holder } from "@modelgate/platform";
import { parseImage, type VideoVendor, type VideoImage, type VideoRequest } from "@modelgate/wires/video";

/** Images of a request in the form that each vendor accepts. Attempts of a call share images that were fetched. */
export class Frames implements Disposable {
  readonly #images: RemoteFiles;
  readonly #holder: Holder;
  readonly #request: VideoRequest;
  readonly #resources = new DisposableStack();
  #fetched: Promise<VideoRequest> | undefined;

  /** `holder` is the account and API key whose buffer limits apply to fetched images. */
  constructor({ images }: { readonly images: RemoteFiles }, request: VideoRequest, holder: Holder) {
    this.#images = images;
    this.#holder = holder;
    this.#request = request;
  }

  /**
   * Returns the request for a vendor. If the vendor needs bytes, images from URLs are fetched. Throws Failure if an
   * image cannot be fetched.
   */
  async requestFor({ needsBytes }: VideoVendor, proxy: string | undefined): Promise<VideoRequest> {
    if (needsBytes !== true) return this.#request;
    try {
      return await (this.#fetched ??= this.#fetchAll(proxy));
    } catch (error) {
      // The next attempt fetches the images again, because its channel may have another proxy.
      this.#fetched = undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#resources.dispose();
  }

  async #fetchAll(proxy: string | undefined): Promise<VideoRequest> {
    const { firstFrame, lastFrame } = this.#request;
    const [first, last] = await Promise.all([
      this.#bytesOf(firstFrame, "firstFrame", proxy),
      this.#bytesOf(lastFrame, "lastFrame", proxy),
    ]);
    return { ...this.#request, firstFrame: first, lastFrame: last };
  }

  async #bytesOf(
    image: VideoImage | undefined,
    param: string,
    proxy: string | undefined,
  ): Promise<VideoImage | undefined> {
    if (image?.kind !== "url") return image;
    try {
      // The fetch continues if the client disconnects, as the start of the task does.
      const signal = new AbortController().signal;
      const file = await this.#images.fetch({
        url: image.url,
        accepts: mayBeImage,
        holder: this.#holder,
        proxy,
        signal,
      });
      if (this.#resources.disposed) file[Symbol.dispose]();
      else this.#resources.use(file);
      return parseImage(file.bytes.toString("base64"), param);
    } catch (cause) {
      if (!(cause instanceof NotFetched)) throw cause;
      throw new Failure("invalid_value", `${param} cannot be fetched: ${cause.message}.`, { param, cause });
    }
  }
}

/** Returns the request with placeholders for images that are not fetched yet, to measure it. */
export function withPlaceholderImages(request: VideoRequest, { needsBytes }: VideoVendor): VideoRequest {
  if (needsBytes !== true) return request;
  const { firstFrame, lastFrame } = request;
  return { ...request, firstFrame: placeholderImage(firstFrame), lastFrame: placeholderImage(lastFrame) };
}

function placeholderImage(image: VideoImage | undefined): VideoImage | undefined {
  return image?.kind === "url" ? { kind: "data", mediaType: "image/png", data: "" } : image;
}
