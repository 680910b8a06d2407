import type { IncomingMessage } from "node:http";
import { Duplex, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { Failure } from "@modelgate/contracts";
import type { BufferBudget, Holder, Holding } from "./buffer-budget.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { Pace, type PaceLimits } from "./pace.ts";

export interface BodyLimits extends PaceLimits {
  /** Maximum size of the body after decompression, in bytes. */
  readonly maxBytes: number;
  readonly budget: BufferBudget;
}

/**
 * A request's complete body; dispose it when the bytes are no longer needed, so that the memory becomes available to
 * others.
 */
export interface Body extends Disposable {
  readonly bytes: Buffer;
  /** The body's holding, for further data that its request reads. */
  readonly holding: Pick<Holding, "take">;
}

/** Error of a client that disconnected before its request was complete: no answer is sent. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** Chunk size of a decompressor. */
const inflatedBytes = 64 * 1024;

const inflaters: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ["gzip", () => createGunzip({ chunkSize: inflatedBytes })],
  ["x-gzip", () => createGunzip({ chunkSize: inflatedBytes })],
  ["deflate", () => createInflate({ chunkSize: inflatedBytes })],
  ["br", () => createBrotliDecompress({ chunkSize: inflatedBytes })],
  ["zstd", () => createZstdDecompress({ chunkSize: inflatedBytes })],
]);

/**
 * Reads a body within its size limit, decompressing gzip, deflate, br and zstd. Bytes that have arrived count against
 * the holder's share of the budget; a declared length does not. Throws Failure request_too_large (413), request_timeout
 * (408, silent or too slow), unsupported_media_type (415), invalid_value (400, broken compression), rate_limit_exceeded
 * (429, the holder's share) or server_overloaded (503, the process's budget), ClientGone, and the reason of `ending`.
 */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  holder: Holder,
  ending?: AbortSignal,
): Promise<Body> {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared > limits.maxBytes) throw tooLarge(limits);
    return await collect(request, request, limits, { holder, declared, ending });
  }
  const inflater = inflaters.get(encoding)?.();
  if (inflater === undefined)
    throw new Failure(
      "unsupported_media_type",
      `The content encoding ${JSON.stringify(encoding)} is not accepted; use gzip, deflate, br or zstd.`,
    );
  request.pipe(inflater);
  try {
    return await collect(request, inflater, limits, { holder, declared: 0, ending });
  } finally {
    request.unpipe(inflater);
    inflater.destroy();
  }
}

/** A body that is being read: its holder, its declared length, and the signal that ends the call. */
interface Collecting {
  readonly holder: Holder;
  readonly declared: number;
  readonly ending: AbortSignal | undefined;
}

/** Gathers a body's chunks until it is whole. Rejects for what ends it before; its holding, or its call, may be ended meanwhile. */
async function collect(
  request: IncomingMessage,
  source: Readable,
  limits: BodyLimits,
  { holder, declared, ending }: Collecting,
): Promise<Body> {
  const holding = limits.budget.holdFor(holder);
  const gathered = new GrowingBytes(declared);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)));
  const onReceived = (chunk: Buffer): void => pace.add(chunk.length);
  const onData = (chunk: Buffer): void => {
    try {
      if (gathered.size + chunk.length > limits.maxBytes) throw tooLarge(limits);
      holding.take(chunk.length);
      gathered.add(chunk);
    } catch (error) {
      source.off("data", onData);
      fail(error);
    }
  };
  const onGone = (): void => fail(new ClientGone("the client left before its request was whole"));
  const onBroken = (): void =>
    source === request
      ? onGone()
      : fail(new Failure("invalid_value", "The compressed body is corrupt.", { param: "content-encoding" }));
  const onClose = (): void => {
    if (!request.complete) onGone();
  };
  const onEnding = (): void => fail(ending?.reason);
  // A client does not count as slow while the decompressor is behind.
  const isBehind = (): boolean => request.complete || (source instanceof Duplex && source.writableNeedDrain);
  using pace = new Pace(limits, fail, isBehind);
  try {
    holding.arrives(fail);
    ending?.addEventListener("abort", onEnding);
    if (ending?.aborted === true) onEnding();
    request.on("data", onReceived).on("close", onClose);
    source.on("data", onData).on("end", resolve).on("error", onBroken);
    await promise;
    return { bytes: gathered.bytes, holding, [Symbol.dispose]: () => holding[Symbol.dispose]() };
  } catch (error) {
    holding[Symbol.dispose]();
    throw error;
  } finally {
    holding.arrived();
    ending?.removeEventListener("abort", onEnding);
    source.off("data", onData).off("end", resolve).off("error", onBroken).on("error", ignore);
    request.off("data", onReceived).off("close", onClose);
  }
}

function ignore(): void {
  // Bytes after the result are ignored
}

function tooLarge({ maxBytes }: BodyLimits): Failure {
  return new Failure(
    "request_too_large",
    `The body is larger than ${maxBytes} bytes, the most that this endpoint accepts.`,
  );
}
