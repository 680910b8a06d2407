import { dispatchOn } from "../transport.ts";
import type { UpstreamAnswer } from "../attempt-plan.ts";
import { NotFetched } from "./not-fetched.ts";
import { pinnedAddress, remoteRules, type RemoteRules } from "./pinned-address.ts";
import { pinnedClient } from "./pinned-client.ts";

/** A file at an address that a vendor gave, to be passed through; or a callback to an address that a client gave. */
export interface RemoteStreamRequest {
  readonly url: string;
  /** Headers beside the address, as a range; they go along to wherever it redirects. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that hold a key: sent to the address's own origin, and to no other that it redirects to. */
  readonly secretHeaders?: Readonly<Record<string, string>> | undefined;
  /** The scheme, host and port of the vendor's own configured address, which may be reached wherever it is. */
  readonly trustedOrigin?: string | undefined;
  /** Body to post; absent: a GET. Redirects of a POST are not followed. */
  readonly body?: Buffer | undefined;
  /** Longest wait for the head, and longest silence in the body. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** An answer at its head; dispose it when its body is over, or not wanted: its connection goes with it. */
export interface RemoteStream extends AsyncDisposable {
  readonly answer: UpstreamAnswer;
}

/** Opens files of any size at addresses that vendors give, under the rules of the guarded fetcher. */
export interface RemoteStreams {
  /** Throws NotFetched saying why, and what the connection throws. */
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
