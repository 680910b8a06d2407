import { mayBeImage, NotFetched, type RemoteFiles } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import type { Holder, Holding, ServiceCall } from "@modelgate/platform";
import { imageFile, type ImageRequest, type InputImage } from "@modelgate/wires/images";
import type { ImagesDeps } from "./open-images.ts";

/** Number of further copies of a request's images in memory: decoded, and in the body that is sent. */
const memoryCopies = 2;

type RequestImages = Pick<ImageRequest, "images" | "mask">;

/**
 * Images of one request. They are fetched once for all attempts, and only if a vendor needs bytes. Disposal releases
 * their memory.
 */
export class InputImages implements Disposable {
  readonly holder: Holder;
  readonly #remote: RemoteFiles;
  readonly #request: RequestImages;
  readonly #signal: AbortSignal;
  readonly #resources = new DisposableStack();
  #fetched: Promise<RequestImages> | undefined;

  /**
   * Adds the copies to `holding`, in which the memory of the request's body is counted. Throws the Failures of
   * `Holding.add`.
   */
  constructor(
    { remote }: Pick<ImagesDeps, "remote">,
    request: RequestImages,
    { caller, ending }: Pick<ServiceCall, "caller" | "ending">,
    holding: Pick<Holding, "add">,
  ) {
    this.holder = caller;
    this.#remote = remote;
    this.#request = request;
    holding.add(memoryCopies * totalBytes(request));
    const failed = new AbortController();
    this.#resources.defer(() => failed.abort());
    this.#signal = AbortSignal.any([ending, failed.signal]);
  }

  /**
   * Returns the images with their bytes. Throws Failure (400) with the name of an image that cannot be
   * fetched, or upstream_proxy_failed (502).
   */
  async asBytes(proxy: string | undefined): Promise<RequestImages> {
    try {
      return await (this.#fetched ??= this.#fetchAll(proxy));
    } catch (error) {
      // The next channel may have another proxy.
      this.#fetched = undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#resources.dispose();
  }

  async #fetchAll(proxy: string | undefined): Promise<RequestImages> {
    const { images, mask } = this.#request;
    const [files, maskFile] = await Promise.all([
      Promise.all(images.map((image) => this.#file(image, proxy))),
      mask === undefined ? undefined : this.#file(mask, proxy),
    ]);
    return { images: files, mask: maskFile };
  }

  async #file(image: InputImage, proxy: string | undefined): Promise<InputImage> {
    if (image.kind !== "url") return image;
    const { at: path, url } = image;
    try {
      const options = { url, accepts: mayBeImage, holder: this.holder, proxy, signal: this.#signal };
      const file = await this.#remote.fetch(options);
      if (this.#resources.disposed) file[Symbol.dispose]();
      else this.#resources.use(file);
      return { kind: "file", at: path, ...imageFile(file.bytes, path) };
    } catch (cause) {
      if (!(cause instanceof NotFetched)) throw cause;
      throw new Failure("invalid_value", `${path} cannot be fetched: ${cause.message}.`, { param: path, cause });
    }
  }
}

function totalBytes({ images, mask }: RequestImages): number {
  const files = [...images, ...(mask === undefined ? [] : [mask])];
  return files.reduce((sum, image) => sum + (image.kind === "file" ? image.bytes.length : 0), 0);
}
