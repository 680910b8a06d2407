import { dispatchOn } from "../transport.ts";
import type { UpstreamAnswer } from "../attempt-plan.ts";
import { NotFetched } from "./not-fetched.ts";
import { pinnedAddress, remoteRules, type RemoteRules } from "./pinned-address.ts";
import { pinnedClient } from "./pinned-client.ts";

/** A request for a file at a URL from a vendor, to be passed through; or a callback to a URL from a client. */
export interface RemoteStreamRequest {
  readonly url: string;
  /** Additional headers, such as a range; they are also sent to the targets of redirects. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that contain a key: sent to the URL's origin only, not to other origins that it redirects to. */
  readonly secretHeaders?: Readonly<Record<string, string>> | undefined;
  /** Scheme, host and port of the vendor's configured address, which may be reached at any IP address. */
  readonly trustedOrigin?: string | undefined;
  /** Body to post; absent: a GET. Redirects of a POST are not followed. */
  readonly body?: Buffer | undefined;
  /** Maximum wait for the head, and maximum silence in the body. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** An answer after its head; dispose it when its body has ended or is not needed. Disposal closes its connection. */
export interface RemoteStream extends AsyncDisposable {
  readonly answer: UpstreamAnswer;
}

/** Opens files of any size at URLs from vendors, under the same rules as `RemoteFiles`. */
export interface RemoteStreams {
  /** Opens a stream. Throws NotFetched with the reason, and the errors of the connection. */
  open(request: RemoteStreamRequest): Promise<RemoteStream>;
}

const maxRedirects = 3;

export function openRemoteStreams(more: Partial<RemoteRules> = {}): RemoteStreams {
  const rules = { ...remoteRules, ...more };
  return {
    async open(request) {
      const allowed = { ...rules, trustedOrigin: request.trustedOrigin };
      let url = parsed(request.url);
      const { origin } = url;
      for (let redirects = 0; redirects <= maxRedirects; redirects++) {
        const headers = url.origin === origin ? { ...request.headers, ...request.secretHeaders } : request.headers;
        const stream = await connect(url, await pinnedAddress(url, allowed), { ...request, headers });
        const { status } = stream.answer;
        const location = stream.answer.headers["location"];
        if (status < 300 || status >= 400 || typeof location !== "string" || request.body !== undefined) return stream;
        await stream[Symbol.asyncDispose]();
        url = parsed(location, url);
      }
      throw new NotFetched(`it redirects more than ${maxRedirects} times`);
    },
  };
}

async function connect(url: URL, address: string, request: RemoteStreamRequest): Promise<RemoteStream> {
  const client = pinnedClient(url, address, request.timeoutMs);
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

function parsed(url: string, base?: URL): URL {
  const found = URL.parse(url, base?.href);
  if (found === null) throw new NotFetched("it is not a valid URL");
  return found;
}
