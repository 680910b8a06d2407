import { Failure } from "@modelgate/contracts";
import type { BufferBudget, Holder } from "@modelgate/platform";
import type { Dispatcher } from "undici";
import { NotFetched } from "./not-fetched.ts";
import { openPinnedClient } from "./pinned-client.ts";
import { ProxyFailed } from "../proxy.ts";
import { resolvePinnedAddress, remoteRules, type RemoteRules } from "./pinned-address.ts";

export interface RemoteLimits {
  readonly maxBytes: number;
  /** Maximum time for the complete fetch, including redirects. */
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

/** A file to fetch into memory. */
export interface RemoteFileRequest {
  readonly url: string;
  /** Returns true if a media type is accepted; it is "" if the server declares none. */
  readonly accepts: (mediaType: string) => boolean;
  /** Origin of the vendor, which may have a private address. */
  readonly trustedOrigin?: string | undefined;
  /** Account and API key whose buffer limits apply to the file. */
  readonly holder: Holder;
  /** URL of the channel's proxy, if it has one. */
  readonly proxy: string | undefined;
  readonly signal: AbortSignal;
}

/** Returns true if a file with this media type may be an image. Its bytes are checked later. */
export function mayBeImage(mediaType: string): boolean {
  return mediaType.startsWith("image/") || ["", "application/octet-stream", "binary/octet-stream"].includes(mediaType);
}

/** A fetched file in memory. Dispose it when its bytes are no longer needed. */
export interface RemoteFile extends Disposable {
  readonly bytes: Buffer;
  /** Declared media type, in lower case without parameters; "" if the server declares none. */
  readonly mediaType: string;
}

/** Fetches files from URLs that clients and vendors give, into memory. */
export interface RemoteFiles {
  /** Throws NotFetched with the reason, or Failure. */
  fetch(request: RemoteFileRequest): Promise<RemoteFile>;
}

/** Opens a fetcher that cannot reach private networks, except for hosts that the rules allow. */
export function openRemoteFiles(
  limits: RemoteLimits,
  budget: BufferBudget,
  ruleOverrides: Partial<RemoteRules> = {},
): RemoteFiles {
  const rules = { ...remoteRules, ...ruleOverrides };
  return {
    async fetch(request) {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(limits.timeoutMs)]);
      const context = {
        request,
        limits,
        budget,
        signal,
        rules: { ...rules, trustedOrigin: request.trustedOrigin, isProxied: request.proxy !== undefined },
      };
      try {
        return await fetchFollowingRedirects(context);
      } catch (error) {
        if (error instanceof NotFetched || request.signal.aborted) throw error;
        if (error instanceof ProxyFailed) throw new Failure("upstream_proxy_failed", undefined, { cause: error });
        if (signal.aborted) throw new NotFetched(`it did not arrive within ${limits.timeoutMs} ms`, { cause: error });
        if (error instanceof Error && "code" in error && typeof error.code === "string" && !(error instanceof Failure))
          throw new NotFetched("its host cannot be reached", { cause: error });
        throw error;
      }
    },
  };
}

interface FetchContext {
  readonly request: RemoteFileRequest;
  readonly limits: RemoteLimits;
  readonly budget: BufferBudget;
  readonly rules: RemoteRules;
  readonly signal: AbortSignal;
}

/**
 * Fetches a file. The host of the URL and of each redirect is resolved once. Its addresses are checked, and the
 * connection goes to one of them, because a redirect or a second resolution could lead into a private network.
 */
async function fetchFollowingRedirects(context: FetchContext): Promise<RemoteFile> {
  let url = parseUrl(context.request.url);
  for (let redirects = 0; redirects <= context.limits.maxRedirects; redirects++) {
    const address = await unlessAborted(resolvePinnedAddress(url, context.rules), context.signal);
    const result = await requestOnce(url, address, context);
    if (!(result instanceof URL)) return result;
    url = result;
  }
  throw new NotFetched(`it redirects more than ${context.limits.maxRedirects} times`);
}

function parseUrl(url: string, base?: URL): URL {
  const parsedUrl = URL.parse(url, base?.href);
  if (parsedUrl === null) throw new NotFetched("it is not a valid URL");
  return parsedUrl;
}

/** Sends one request. Returns the file, or the URL that it redirects to. */
async function requestOnce(url: URL, address: string, context: FetchContext): Promise<RemoteFile | URL> {
  const { signal, limits } = context;
  const client = openPinnedClient(url, address, limits.timeoutMs, context.request.proxy);
  try {
    const answer = await client.request({
      path: url.pathname + url.search,
      method: "GET",
      headers: { accept: "image/*, */*;q=0.1", "accept-encoding": "identity", "user-agent": "modelgate" },
      signal,
      headersTimeout: limits.timeoutMs,
      bodyTimeout: limits.timeoutMs,
    });
    // `client.destroy` below fails the unread rest of the body; without a listener, this error would end the process.
    answer.body.on("error", () => undefined);
    const { statusCode: status, headers } = answer;
    if (status >= 300 && status < 400 && typeof headers["location"] === "string")
      return parseUrl(headers["location"], url);
    if (status !== 200) throw new NotFetched(`its host answered with status ${status}`);
    return await readFile(answer, context);
  } finally {
    await client.destroy();
  }
}

async function readFile(
  { headers, body }: Dispatcher.ResponseData,
  { request, limits, budget }: FetchContext,
): Promise<RemoteFile> {
  const type = headers["content-type"];
  const mediaType = (typeof type === "string" ? type : "").replace(/;.*$/s, "").trim().toLowerCase();
  if (!request.accepts(mediaType))
    throw new NotFetched(`its content type ${JSON.stringify(mediaType.slice(0, 100))} is not accepted`);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw new NotFetched("it is compressed");
  if (Number(headers["content-length"] ?? 0) > limits.maxBytes) throw tooLarge(limits);
  const chunks: Buffer[] = [];
  const holding = budget.openHolding(request.holder);
  try {
    for await (const piece of body) {
      if (!Buffer.isBuffer(piece)) throw new TypeError("a body is read in buffers");
      if (holding.bytes + piece.length > limits.maxBytes) throw tooLarge(limits);
      holding.add(piece.length);
      chunks.push(piece);
    }
  } catch (error) {
    holding[Symbol.dispose]();
    throw error;
  }
  return { bytes: Buffer.concat(chunks), mediaType, [Symbol.dispose]: () => holding[Symbol.dispose]() };
}

function tooLarge({ maxBytes }: RemoteLimits): NotFetched {
  return new NotFetched(`it is larger than ${maxBytes} bytes`);
}

/** Resolves as the promise does, but rejects when the signal aborts. Name resolution accepts no signal. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Error("aborted", { cause: signal.reason }));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", onAbort));
}
