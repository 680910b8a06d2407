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
  /** Longest time for the whole body, however steadily it drips. */
  readonly totalMs: number;
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

/** A body as it comes in, every byte of it taken from the budget. */
class Gathered {
  readonly #limits: BodyLimits;
  readonly #whole: Buffer | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #taken = 0;

  /**
   * A large body of known length goes straight into its place: pieces and their sum would be held twice. The place is
   * taken before it is made: what is only declared may not outgrow the budget either.
   */
  constructor(declared: number, limits: BodyLimits) {
    this.#limits = limits;
    if (declared <= placedBytes) return;
    this.#take(declared);
    this.#whole = Buffer.allocUnsafe(declared);
  }

  /** Throws Failure request_too_large or server_overloaded. */
  add(chunk: Buffer): void {
    if (this.#size + chunk.length > this.#limits.maxBytes) throw tooLarge(this.#limits);
    if (this.#whole === undefined) {
      this.#take(chunk.length);
      this.#chunks.push(chunk);
    } else chunk.copy(this.#whole, this.#size);
    this.#size += chunk.length;
  }

  get bytes(): Buffer {
    const [only] = this.#chunks;
    return this.#whole ?? (this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks));
  }

  giveBack(): void {
    this.#limits.budget.give(this.#taken);
    this.#taken = 0;
  }

  #take(bytes: number): void {
    this.#limits.budget.take(bytes);
    this.#taken += bytes;
  }
}

async function collect(request: IncomingMessage, source: Readable, limits: BodyLimits): Promise<Body> {
  const declared = source === request ? Number(request.headers["content-length"] ?? 0) : 0;
  const gathered = new Gathered(declared, limits);
  try {
    await gather(request, source, limits, (chunk) => gathered.add(chunk));
  } catch (error) {
    gathered.giveBack();
    throw error;
  }
  return new HeldBody(gathered.bytes, limits.budget);
}

/** Hands every chunk on until the body is whole. Rejects for what ends it before, `add`'s own failures among it. */
function gather(
  request: IncomingMessage,
  source: Readable,
  limits: BodyLimits,
  add: (chunk: Buffer) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = (say: string) => () => fail(new Failure("request_timeout", say));
  const total = setTimeout(late(`The body was not whole after ${limits.totalMs} ms.`), limits.totalMs);
  const silence = setTimeout(late(`The body fell silent for ${limits.silenceMs} ms.`), limits.silenceMs);
  const fail = (error: unknown): void => {
    stop();
    reject(error instanceof Error ? error : new Error(String(error)));
  };
  const onData = (chunk: Buffer): void => {
    silence.refresh();
    try {
      add(chunk);
    } catch (error) {
      fail(error);
    }
  };
  const onEnd = (): void => {
    stop();
    resolve();
  };
  const onGone = (): void => fail(new ClientGone("the client left before its request was whole"));
  const onBroken = (): void =>
    source === request
      ? onGone()
      : fail(new Failure("invalid_value", "The compressed body is broken.", { param: "content-encoding" }));
  const onClose = (): void => {
    if (!request.complete) onGone();
  };
  const stop = (): void => {
    clearTimeout(silence);
    clearTimeout(total);
    source.off("data", onData).off("end", onEnd).off("error", onBroken);
    source.on("error", ignore);
    request.off("close", onClose);
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
