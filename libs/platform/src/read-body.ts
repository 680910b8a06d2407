import type { IncomingMessage } from "node:http";
import { Duplex, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { Failure } from "@modelgate/contracts";
import type { BufferBudget, Holder, Holding } from "./buffer-budget.ts";
import { inTurnsIfLong } from "./in-turns.ts";
import { Pace, type PaceLimits } from "./pace.ts";

export interface BodyLimits extends PaceLimits {
  /** Maximum bytes of the body after decompression. */
  readonly maxBytes: number;
  readonly budget: BufferBudget;
}

/** The complete body of a request. Disposal releases its memory in the budget. */
export interface Body extends Disposable {
  readonly bytes: Buffer;
  readonly holding: Pick<Holding, "add">;
}

/** Error for a client that disconnected too early. No answer is sent. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientGone";
}

const decompressedChunkBytes = 64 * 1024;

const decompressors: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ["gzip", () => createGunzip({ chunkSize: decompressedChunkBytes })],
  ["x-gzip", () => createGunzip({ chunkSize: decompressedChunkBytes })],
  ["deflate", () => createInflate({ chunkSize: decompressedChunkBytes })],
  ["br", () => createBrotliDecompress({ chunkSize: decompressedChunkBytes })],
  ["zstd", () => createZstdDecompress({ chunkSize: decompressedChunkBytes })],
]);

/**
 * Reads and decompresses a body (gzip, deflate, br, zstd). Throws Failure request_too_large (413), request_timeout
 * (408), unsupported_media_type (415), invalid_value (400, corrupt compression), rate_limit_exceeded (429) or
 * server_overloaded (503). Also throws ClientDisconnected, and the reason of `ending`.
 */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  holder: Holder,
  ending?: AbortSignal,
): Promise<Body> {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity" && encoding !== "")
    return await readCompressed(request, encoding, limits, { holder, ending });
  // A small body often arrives with its head. Node parses it before it runs microtasks.
  if (!request.complete) await Promise.resolve();
  if (request.complete) return takeReceivedBody(request, limits, holder, ending);
  const declared = Number(request.headers["content-length"] ?? 0);
  return await collectBody(request, request, limits, { holder, declared, ending });
}

/** Returns a body that has arrived completely, without listeners and timers. */
function takeReceivedBody(
  request: IncomingMessage,
  limits: BodyLimits,
  holder: Holder,
  ending: AbortSignal | undefined,
): Body {
  ending?.throwIfAborted();
  if (request.readableLength > limits.maxBytes) throw tooLarge(limits);
  const holding = limits.budget.openHolding(holder);
  try {
    holding.addReceived(request.readableLength);
    const received: unknown = request.read();
    const bytes = Buffer.isBuffer(received) ? received : noBytes;
    return { bytes, holding, [Symbol.dispose]: () => holding[Symbol.dispose]() };
  } catch (error) {
    holding[Symbol.dispose]();
    throw error;
  }
}

const noBytes = Buffer.alloc(0);

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

interface CollectOptions {
  readonly holder: Holder;
  readonly declared: number;
  readonly ending: AbortSignal | undefined;
}

async function collectBody(
  request: IncomingMessage,
  source: Readable,
  limits: BodyLimits,
  { holder, declared, ending }: CollectOptions,
): Promise<Body> {
  if (declared > limits.maxBytes) throw tooLarge(limits);
  const holding = limits.budget.openHolding(holder);
  const gathered = new BodySegments(declared);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const isCompressed = source !== request;
  const onReceived = (chunk: Buffer): void => pace.add(chunk.length);
  const onData = (chunk: Buffer): void => {
    try {
      if (!isCompressed) pace.add(chunk.length);
      if (gathered.size + chunk.length > limits.maxBytes) throw tooLarge(limits);
      holding.add(chunk.length);
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
  // While the decompressor accepts no bytes, the client is not too slow.
  const isBehind = (): boolean => request.complete || (source instanceof Duplex && source.writableNeedDrain);
  using pace = new Pace(limits, reject, isBehind);
  try {
    holding.startArriving(reject);
    ending?.addEventListener("abort", onEnding);
    if (ending?.aborted === true) onEnding();
    request.on("close", onClose);
    if (isCompressed) {
      request.on("data", onReceived);
      source.on("error", () => reject(corruptBodyFailure()));
    }
    source.on("data", onData).on("end", resolve);
    await promise;
    holding.endArriving();
    const bytes = await gathered.join();
    ending?.throwIfAborted();
    return { bytes, holding, [Symbol.dispose]: () => holding[Symbol.dispose]() };
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

function corruptBodyFailure(): Failure {
  return new Failure("invalid_value", "The compressed body is corrupt.", { param: "content-encoding" });
}

function tooLarge({ maxBytes }: BodyLimits): Failure {
  return new Failure("request_too_large", `The body is larger than ${maxBytes} bytes, the maximum of this endpoint.`);
}

const [firstSegmentBytes, maxSegmentBytes] = [16 * 1024, 1024 * 1024];

/**
 * Collects the chunks of a body in segments, and joins them at the end. The memory grows with the bytes that have
 * arrived, even if a larger length was declared.
 */
export class BodySegments {
  readonly #declared: number;
  readonly #segments: Buffer[] = [];
  #unused = 0;
  size = 0;

  /** `declared` is the expected length; 0 if unknown. */
  constructor(declared: number) {
    this.#declared = declared;
  }

  add(chunk: Buffer): void {
    // A small body arrives in one chunk, which is used without a copy.
    if (this.size === 0 && this.#declared > 0 && chunk.length >= this.#declared) this.#segments.push(chunk);
    else this.#copy(chunk);
    this.size += chunk.length;
  }

  /** Returns all bytes, and releases the segments. Many segments are copied in turns with other work. */
  join(): Buffer | Promise<Buffer> {
    const [first, second] = this.#segments;
    if (second !== undefined) return inTurnsIfLong(this.#joinSteps());
    return first?.subarray(0, this.size) ?? Buffer.alloc(0);
  }

  #copy(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      if (this.#unused === 0) this.#open(chunk.length - from);
      const last = this.#segments.at(-1);
      const copied = last === undefined ? 0 : chunk.copy(last, last.length - this.#unused, from);
      this.#unused -= copied;
      from += copied;
    }
  }

  #open(neededBytes: number): void {
    const length = Math.min(Math.max(firstSegmentBytes, neededBytes, this.size), maxSegmentBytes);
    this.#segments.push(Buffer.allocUnsafeSlow(length));
    this.#unused = length;
  }

  *#joinSteps(): Generator<undefined, Buffer> {
    const joined = Buffer.allocUnsafeSlow(this.size);
    let end = 0;
    for (let segment = this.#segments.shift(); segment !== undefined; segment = this.#segments.shift()) {
      end += segment.copy(joined, end);
      if (segment.length === maxSegmentBytes) yield;
    }
    return joined;
  }
}
