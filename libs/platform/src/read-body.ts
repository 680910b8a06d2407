import type { IncomingMessage } from "node:http";
import { Duplex, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { Failure } from "@modelgate/contracts";
import type { BufferBudget, Holder, Holding } from "./buffer-budget.ts";
import { Pace, type PaceLimits } from "./pace.ts";

export interface BodyLimits extends PaceLimits {
  /** Maximum bytes of the body after decompression. */
  readonly maxBytes: number;
  readonly budget: BufferBudget;
}

/**
 * The complete body of a request. Dispose it when the bytes are no longer needed, to release their memory in the
 * budget.
 */
export interface Body extends Disposable {
  readonly bytes: Buffer;
  /** Holding of the body, for more memory that the same request needs. */
  readonly holding: Pick<Holding, "take">;
}

/** Error for a client that disconnected before its request or its answer was complete. No answer is sent. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientGone";
}

/** Chunk size of the decompressors, in bytes. */
const decompressedChunkBytes = 64 * 1024;

const decompressors: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ["gzip", () => createGunzip({ chunkSize: decompressedChunkBytes })],
  ["x-gzip", () => createGunzip({ chunkSize: decompressedChunkBytes })],
  ["deflate", () => createInflate({ chunkSize: decompressedChunkBytes })],
  ["br", () => createBrotliDecompress({ chunkSize: decompressedChunkBytes })],
  ["zstd", () => createZstdDecompress({ chunkSize: decompressedChunkBytes })],
]);

/**
 * Reads a body within its size limit, and decompresses gzip, deflate, br and zstd. Bytes that have arrived are counted
 * for the holder in the budget; a declared length is not. Throws Failure request_too_large (413), request_timeout (408,
 * silent or too slow), unsupported_media_type (415), invalid_value (400, corrupt compression), rate_limit_exceeded
 * (429, the share of the account or API key) or server_overloaded (503, the budget is full). Also throws ClientDisconnected,
 * and the reason of `ending`.
 */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  holder: Holder,
  ending?: AbortSignal,
): Promise<Body> {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity" && encoding !== "") return readCompressed(request, encoding, limits, { holder, ending });
  const declared = Number(request.headers["content-length"] ?? 0);
  return collectBody(request, request, limits, { holder, declared, ending });
}

async function readCompressed(
  request: IncomingMessage,
  encoding: string,
  limits: BodyLimits,
  options: Pick<CollectOptions, "ending" | "holder">,
): Promise<Body> {
  const inflater = decompressors.get(encoding)?.();
  if (inflater === undefined)
    throw new Failure(
      "unsupported_media_type",
      `The content encoding ${JSON.stringify(encoding)} is not accepted; use gzip, deflate, br or zstd.`,
    );
  request.pipe(inflater);
  try {
    return await collectBody(request, inflater, limits, { ...options, declared: 0 });
  } finally {
    request.unpipe(inflater);
    inflater.destroy();
  }
}

/** Holder, declared length and signal of a body that is being read. */
interface CollectOptions {
  readonly holder: Holder;
  readonly declared: number;
  readonly ending: AbortSignal | undefined;
}

/**
 * Collects a body's chunks until it is complete. Rejects with the first error, including one by which the budget or
 * `ending` ends it.
 */
async function collectBody(
  request: IncomingMessage,
  source: Readable,
  limits: BodyLimits,
  { holder, declared, ending }: CollectOptions,
): Promise<Body> {
  if (declared > limits.maxBytes) throw tooLarge(limits);
  const holding = limits.budget.holdFor(holder);
  const gathered = new GrowingBuffer(declared);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const isCompressed = source !== request;
  const onReceived = (chunk: Buffer): void => pace.add(chunk.length);
  const onData = (chunk: Buffer): void => {
    try {
      if (!isCompressed) pace.add(chunk.length);
      if (gathered.size + chunk.length > limits.maxBytes) throw tooLarge(limits);
      holding.take(chunk.length);
      gathered.add(chunk);
    } catch (error) {
      source.off("data", onData);
      reject(error);
    }
  };
  const onClose = (): void => {
    if (!request.complete) reject(new ClientDisconnected("the client disconnected before the request was complete"));
  };
  const onEnding = (): void => reject(ending?.reason);
  // A client does not count as slow while the decompressor accepts no bytes.
  const isBehind = (): boolean => request.complete || (source instanceof Duplex && source.writableNeedDrain);
  using pace = new Pace(limits, reject, isBehind);
  try {
    holding.startArriving(reject);
    ending?.addEventListener("abort", onEnding);
    if (ending?.aborted === true) onEnding();
    request.on("close", onClose);
    if (isCompressed) {
      request.on("data", onReceived);
      source.on("error", () => reject(corrupt()));
    }
    source.on("data", onData).on("end", resolve);
    await promise;
    return { bytes: gathered.bytes, holding, [Symbol.dispose]: () => holding[Symbol.dispose]() };
  } catch (error) {
    holding[Symbol.dispose]();
    throw error;
  } finally {
    holding.endArriving();
    ending?.removeEventListener("abort", onEnding);
    source.off("data", onData).off("end", resolve);
    request.off("data", onReceived).off("close", onClose);
  }
}

function corrupt(): Failure {
  return new Failure("invalid_value", "The compressed body is corrupt.", { param: "content-encoding" });
}

function tooLarge({ maxBytes }: BodyLimits): Failure {
  return new Failure("request_too_large", `The body is larger than ${maxBytes} bytes, the maximum of this endpoint.`);
}

/** Size of the first buffer, in bytes. */
const firstBufferBytes = 16 * 1024;

/**
 * Collects the chunks of a body in one buffer, which doubles its size when it is full. It allocates at most twice the
 * bytes that have arrived (at least 16 KiB), even if a larger length was declared. Chunks are copied when they arrive
 * and then not kept.
 */
export class GrowingBuffer {
  readonly #expected: number;
  #buffer: Buffer | undefined;
  /** Number of bytes that were added. */
  size = 0;

  /** `expected` is the declared length, which limits the buffer's growth; 0 means unknown. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    // A small body arrives in one chunk. The chunk is used without a copy.
    if (this.#buffer === undefined && size >= this.#expected && chunk.length > 0 && this.#expected > 0) {
      this.#buffer = chunk;
    } else {
      const buffer = this.#bufferFor(size);
      chunk.copy(buffer, this.size);
    }
    this.size = size;
  }

  /**
   * Returns all bytes that were added. If more than a fifth of the buffer is unused, the bytes are copied to a smaller
   * one.
   */
  get bytes(): Buffer {
    const buffer = this.#buffer ?? Buffer.alloc(0);
    const bytes = buffer.subarray(0, this.size);
    return buffer.length - this.size > this.size / 4 ? Buffer.from(bytes) : bytes;
  }

  #bufferFor(size: number): Buffer {
    const buffer = this.#buffer;
    if (buffer !== undefined && buffer.length >= size) return buffer;
    const doubled = Math.max(firstBufferBytes, 2 * (buffer?.length ?? 0));
    const target = this.#expected >= size ? Math.min(this.#expected, doubled) : doubled;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, target));
    buffer?.copy(larger, 0, 0, this.size);
    this.#buffer = larger;
    return larger;
  }
}
