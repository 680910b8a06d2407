import type { CatalogChannel, ChannelKey } from "@modelgate/catalog";
import { signRequest, type Provider, type VendorRequest } from "@modelgate/providers";
import type { SendState, UpstreamRequest } from "./attempt-plan.ts";

/** Channel, key and vendor of a request. */
export interface RequestRoute {
  readonly channel: Pick<CatalogChannel, "baseUrl" | "proxy">;
  readonly key: Pick<ChannelKey, "secret">;
  readonly provider: Pick<Provider, "sign">;
}

/** Values of a request that are not the channel's. */
interface RequestOptions {
  readonly timeoutMs: number;
  readonly state?: SendState | undefined;
  /** Headers that are added to those of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Current time in Unix ms; absent: that of the clock. */
  readonly nowMs?: number | undefined;
}

/**
 * Completes a request to a channel's vendor: adds the channel's proxy, and the authorization that the provider's `sign`
 * creates. Returns a promise only if the provider signs. Rejects with CredentialsFailed.
 */
export function channelRequest(
  { url, method, headers, body }: VendorRequest,
  { channel: { baseUrl, proxy }, key, provider }: RequestRoute,
  { timeoutMs, state, headers: more, nowMs = Date.now() }: RequestOptions,
): UpstreamRequest | Promise<UpstreamRequest> {
  const all = more === undefined ? headers : { ...headers, ...more };
  const unsigned = { url, method, headers: all, body, timeoutMs, state, proxy };
  if (provider.sign === undefined) return unsigned;
  return signRequest(provider, unsigned, { baseUrl, key: key.secret, nowMs });
}
