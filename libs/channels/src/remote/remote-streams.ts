import { dispatchOn } from "../transport.ts";
import type { UpstreamAnswer } from "../attempt-plan.ts";
import { NotFetched } from "./not-fetched.ts";
import { resolvePinnedAddress, remoteRules, type RemoteRules } from "./pinned-address.ts";
import { openPinnedClient } from "./pinned-client.ts";

/** A request for a file at a vendor's URL, or a POST (callback) to a client's URL. */
export interface RemoteStreamRequest {
  readonly url: string;
  /** Headers to send. They are also sent to the targets of redirects. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that contain an API key. They are sent only to the URL's origin. */
  readonly secretHeaders?: Readonly<Record<string, string>> | undefined;
  /** Origin of the vendor, which may have a private address. */
  readonly trustedOrigin?: string | undefined;
  /** URL of the channel's proxy, if it has one. */
  readonly proxy: string | undefined;
  /** Body to post; a GET if absent. Redirects of a POST are not followed. */
  readonly body?: Buffer | undefined;
  /** Maximum wait for the answer's head, and maximum silence in its body. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** An answer of which only the head was read. Disposal closes the connection. */
export interface RemoteStream extends AsyncDisposable {
  readonly answer: UpstreamAnswer;
}

/** Opens URLs from vendors and clients as streams, under the same rules as `RemoteFiles`. */
export interface RemoteStreams {
  /** Throws NotFetched with the reason, and the errors of the connection. */
  open(request: RemoteStreamRequest): Promise<RemoteStream>;
}

const maxRedirects = 3;

export function openRemoteStreams(ruleOverrides: Partial<RemoteRules> = {}): RemoteStreams {
  const rules = { ...remoteRules, ...ruleOverrides };
  return {
    async open(request) {
      const { trustedOrigin, proxy } = request;
      const requestRules = { ...rules, trustedOrigin, isProxied: proxy !== undefined };
      let url = parseUrl(request.url);
      const { origin } = url;
      for (let redirects = 0; redirects <= maxRedirects; redirects++) {
        const headers = url.origin === origin ? { ...request.headers, ...request.secretHeaders } : request.headers;
        const stream = await connect(url, await resolvePinnedAddress(url, requestRules), { ...request, headers });
        const { status } = stream.answer;
        const location = stream.answer.headers["location"];
        if (status < 300 || status >= 400 || typeof location !== "string" || request.body !== undefined) return stream;
        await stream[Symbol.asyncDispose]();
        url = parseUrl(location, url);
      }
      throw new NotFetched(`it redirects more than ${maxRedirects} times`);
    },
  };
}

async function connect(url: URL, address: string, request: RemoteStreamRequest): Promise<RemoteStream> {
  const client = openPinnedClient(url, address, request.timeoutMs, request.proxy);
  try {
    const { headers, body, timeoutMs } = request;
    const method = body === undefined ? "GET" : "POST";
    const answer = await dispatchOn(client, { url, method, headers, body, timeoutMs }, request.signal);
    return { answer, [Symbol.asyncDispose]: () => client.destroy() };
  } catch (error) {
    await client.destroy();
    throw error;
  }
}

function parseUrl(url: string, base?: URL): URL {
  const parsedUrl = URL.parse(url, base?.href);
  if (parsedUrl === null) throw new NotFetched("it is not a valid URL");
  return parsedUrl;
}
