import type { ServerResponse } from "node:http";
import { NotFetched, type RemoteFiles } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import { imageFile, type ImageRequest, type InputImage } from "@modelgate/wires";

/** Media types under which an image may be sent; what it is, its bytes say. */
export function mayBeImage(mediaType: string): boolean {
  return mediaType.startsWith("image/") || ["", "application/octet-stream", "binary/octet-stream"].includes(mediaType);
}

/** The images of one request as bytes: fetched only where a vendor needs them, once for all attempts. */
export class InputImages implements Disposable {
  readonly #remote: RemoteFiles;
  readonly #request: ImageRequest;
  readonly #leaving = new AbortController();
  readonly #held = new DisposableStack();
  #fetched: Promise<ImageRequest> | undefined;

  constructor(remote: RemoteFiles, request: ImageRequest, response: ServerResponse) {
    this.#remote = remote;
    this.#request = request;
    const onClose = (): void => this.#leaving.abort();
    response.once("close", onClose);
    this.#held.defer(() => response.off("close", onClose));
    this.#held.defer(onClose);
  }

  /** The request with every image in it as bytes. Throws Failure (400) naming the image that cannot be had. */
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
    if (image.kind === "file") return image;
    const { at, url } = image;
    try {
      const file = await this.#remote.fetch({ url, accepts: mayBeImage, signal: this.#leaving.signal });
      if (this.#held.disposed) file[Symbol.dispose]();
      else this.#held.use(file);
      return { kind: "file", at, ...imageFile(file.bytes, at) };
    } catch (cause) {
      if (!(cause instanceof NotFetched)) throw cause;
      throw new Failure("invalid_value", `${at} cannot be fetched: ${cause.message}.`, { param: at, cause });
    }
  }
}
