import { NotFetched, type RemoteFiles } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import { imageFile, type ImageRequest, type InputImage } from "@modelgate/wires/images";
import type { ImagesDeps } from "./open-images.ts";

/** Returns whether an image may be sent under this media type. The image's bytes decide its type. */
export function mayBeImage(mediaType: string): boolean {
  return mediaType.startsWith("image/") || ["", "application/octet-stream", "binary/octet-stream"].includes(mediaType);
}

/** Number of further copies of the request's body in memory: the images that were read, and the body that is sent. */
const copies = 2;

/**
 * Images of one request as bytes, counted against the memory limit of the process. They are fetched only if a vendor
 * needs bytes, once for all attempts. Dispose it when the call has ended.
 */
export class InputImages implements Disposable {
  readonly #remote: RemoteFiles;
  readonly #request: ImageRequest;
  readonly #signal: AbortSignal;
  readonly #held = new DisposableStack();
  #fetched: Promise<ImageRequest> | undefined;

  /** Throws Failure server_overloaded (503) if the memory limit of the process is reached. */
  constructor({ remote, budget }: ImagesDeps, request: ImageRequest, ending: AbortSignal) {
    this.#remote = remote;
    this.#request = request;
    const bytes = copies * bytesOf(request);
    budget.take(bytes);
    this.#held.defer(() => budget.release(bytes));
    const over = new AbortController();
    this.#held.defer(() => over.abort());
    this.#signal = AbortSignal.any([ending, over.signal]);
  }

  /**
   * Returns the request with every image as bytes. Throws Failure (400) that names the image that cannot be fetched.
   */
  asBytes(): Promise<ImageRequest> {
    return (this.#fetched ??= this.#fetchAll());
  }

  [Symbol.dispose](): void {
    this.#held.dispose();
  }

  async #fetchAll(): Promise<ImageRequest> {
    const { images, mask } = this.#request;
    const [files, maskFile] = await Promise.all([
      Promise.all(images.map((image) => this.#file(image))),
      mask === undefined ? undefined : this.#file(mask),
    ]);
    return { ...this.#request, images: files, mask: maskFile };
  }

  async #file(image: InputImage): Promise<InputImage> {
    if (image.kind !== "url") return image;
    const { at, url } = image;
    try {
      const file = await this.#remote.fetch({ url, accepts: mayBeImage, signal: this.#signal });
      if (this.#held.disposed) file[Symbol.dispose]();
      else this.#held.use(file);
      return { kind: "file", at, ...imageFile(file.bytes, at) };
    } catch (cause) {
      if (!(cause instanceof NotFetched)) throw cause;
      throw new Failure("invalid_value", `${at} cannot be fetched: ${cause.message}.`, { param: at, cause });
    }
  }
}

function bytesOf({ images, mask }: ImageRequest): number {
  const files = [...images, ...(mask === undefined ? [] : [mask])];
  return files.reduce((sum, image) => sum + (image.kind === "file" ? image.bytes.length : 0), 0);
}
