import { NotFetched, type RemoteFiles } from "@modelgate/channels";
import { Failure } from "@modelgate/contracts";
import { parseImage, type VideoVendor, type VideoImage, type VideoRequest } from "@modelgate/wires/video";

/** Returns true if a picture may have this media type; its real type is read from its bytes. */
function mayBePicture(mediaType: string): boolean {
  return mediaType.startsWith("image/") || ["", "application/octet-stream", "binary/octet-stream"].includes(mediaType);
}

/**
 * Pictures of a request in the form that each vendor takes. For vendors that only take bytes, pictures at URLs are
 * fetched once for all attempts, and counted against the process's memory budget. Dispose it when the request has been
 * sent.
 */
export class Frames implements Disposable {
  readonly #pictures: RemoteFiles;
  readonly #request: VideoRequest;
  readonly #held = new DisposableStack();
  #fetched: Promise<VideoRequest> | undefined;

  constructor({ pictures }: { readonly pictures: RemoteFiles }, request: VideoRequest) {
    this.#pictures = pictures;
    this.#request = request;
  }

  /**
   * Returns the request for a vendor of this wire. Throws Failure (400) with the name of a picture that cannot be
   * fetched.
   */
  async for({ needsBytes }: VideoVendor): Promise<VideoRequest> {
    return needsBytes === true ? await (this.#fetched ??= this.#fetchAll()) : this.#request;
  }

  [Symbol.dispose](): void {
    this.#held.dispose();
  }

  async #fetchAll(): Promise<VideoRequest> {
    const { firstFrame, lastFrame } = this.#request;
    const [first, last] = await Promise.all([
      this.#bytesOf(firstFrame, "firstFrame"),
      this.#bytesOf(lastFrame, "lastFrame"),
    ]);
    return { ...this.#request, firstFrame: first, lastFrame: last };
  }

  async #bytesOf(image: VideoImage | undefined, param: string): Promise<VideoImage | undefined> {
    if (image?.kind !== "url") return image;
    try {
      // The fetch continues when the client leaves, like the start.
      const signal = new AbortController().signal;
      const file = await this.#pictures.fetch({ url: image.url, accepts: mayBePicture, signal });
      if (this.#held.disposed) file[Symbol.dispose]();
      else this.#held.use(file);
      return parseImage(file.bytes.toString("base64"), param);
    } catch (cause) {
      if (!(cause instanceof NotFetched)) throw cause;
      throw new Failure("invalid_value", `${param} cannot be fetched: ${cause.message}.`, { param, cause });
    }
  }
}

/** Returns a request for measuring at a vendor that only takes bytes, before its pictures are fetched. */
export function unfetched(request: VideoRequest, { needsBytes }: VideoVendor): VideoRequest {
  if (needsBytes !== true) return request;
  const { firstFrame, lastFrame } = request;
  return { ...request, firstFrame: asIfFetched(firstFrame), lastFrame: asIfFetched(lastFrame) };
}

function asIfFetched(image: VideoImage | undefined): VideoImage | undefined {
  return image?.kind === "url" ? { kind: "data", mediaType: "image/png", data: "" } : image;
}
