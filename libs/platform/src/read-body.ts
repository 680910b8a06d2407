import type { IncomingMessage } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { Failure } from "@modelgate/contracts";
import type { BufferBudget } from "./buffer-budget.ts";

export interface BodyLimits {
  /** Counts decompressed bytes. */
  readonly maxBytes: number;
  /** Longest silence while the body arrives. */
  readonly silenceMs: number;
  readonly budget: BufferBudget;
}

/** A request's whole body; dispose it when the bytes are needed no longer, so that others may take their place. */
export interface Body extends Disposable {
  readonly bytes: Buffer;
}

/** The client left before its request was whole: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

const inflaters: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
  ["zstd", createZstdDecompress],
]);

/**
 * Reads a body within its limit, decompressing gzip, deflate, br and zstd. Throws Failure request_too_large (413),
 * request_timeout (408, the sender fell silent), unsupported_media_type (415), invalid_value (400, broken
 * compression) or server_overloaded (503, the process's budget), and ClientGone.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Body> {
  const declared = Number(request.headers["content-length"] ?? 0);
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") {
    if (declared > limits.maxBytes) return Promise.reject(tooLarge(limits));
    return collect(request, request, limits);
  }
  const inflater = inflaters.get(encoding)?.();
  if (inflater === undefined) {
    return Promise.reject(
      new Failure(
        "unsupported_media_type",
        `The content encoding ${JSON.stringify(encoding)} is not accepted; use gzip, deflate, br or zstd.`,
      ),
    );
  }
  request.pipe(inflater);
  return collect(request, inflater, limits).finally(() => {
    request.unpipe(inflater);
    inflater.destroy();
  });
}

/** Bodies from this size on are read into their place. */
const placedBytes = 256 * 1024;

function collect(request: IncomingMessage, source: Readable, limits: BodyLimits): Promise<Body> {
  const { promise, resolve, reject } = Promise.withResolvers<Body>();
  // A large body of known length goes straight into its place: pieces and their sum would be held twice.
  const declared = source === request ? Number(request.headers["content-length"] ?? 0) : 0;
  const whole = declared > placedBytes ? Buffer.allocUnsafe(declared) : undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  const silence = setTimeout(
    () => fail(new Failure("request_timeout", `The body fell silent for ${limits.silenceMs} ms.`)),
    limits.silenceMs,
  );
  const fail = (error: unknown): void => {
    stop();
    limits.budget.give(size);
    size = 0;
    reject(error instanceof Error ? error : new Error(String(error)));
  };
  const onData = (chunk: Buffer): void => {
    silence.refresh();
    if (size + chunk.length > limits.maxBytes) return fail(tooLarge(limits));
    try {
      limits.budget.take(chunk.length);
    } catch (error) {
      return fail(error);
    }
    if (whole === undefined) chunks.push(chunk);
    else chunk.copy(whole, size);
    size += chunk.length;
  };
  const onEnd = (): void => {
    stop();
    const [only] = chunks;
    const joined = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size);
    resolve(new HeldBody(whole ?? joined, limits.budget));
  };
  const onGone = (): void => fail(new ClientGone("the client left before its request was whole"));
  const onBroken = (): void =>
    source === request
      ? onGone()
      : fail(new Failure("invalid_value", "The compressed body is broken.", { param: "content-encoding" }));
  const stop = (): void => {
    clearTimeout(silence);
    source.off("data", onData).off("end", onEnd).off("error", onBroken);
    source.on("error", ignore);
    request.off("close", onClose);
  };
  const onClose = (): void => {
    if (!request.complete) onGone();
  };
  source.on("data", onData).on("end", onEnd).on("error", onBroken);
  request.on("close", onClose);
  return promise;
}

function ignore(): void {
  // what comes after the verdict changes nothing
}

function tooLarge({ maxBytes }: BodyLimits): Failure {
  return new Failure(
    "request_too_large",
    `The body is larger than ${maxBytes} bytes, the most that this endpoint accepts.`,
  );
}

class HeldBody implements Body {
  readonly bytes: Buffer;
  readonly #budget: BufferBudget;
  #held: number;

  constructor(bytes: Buffer, budget: BufferBudget) {
    this.bytes = bytes;
    this.#budget = budget;
    this.#held = bytes.length;
  }

  [Symbol.dispose](): void {
    this.#budget.give(this.#held);
    this.#held = 0;
  }
}
