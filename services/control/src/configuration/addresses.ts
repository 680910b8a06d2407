import type { Provider } from "@modelgate/providers";
import { isBlockedAddress } from "@modelgate/channels";

/** Returns the reason why an address cannot be a channel's base URL. */
export function baseUrlProblem(baseUrl: string, provider: Provider): string | undefined {
  const { name, baseUrlQuery } = provider;
  if (!URL.canParse(baseUrl)) return "is not a URL";
  const { protocol, username, password, search, hash } = new URL(baseUrl);
  if (protocol !== "https:" && protocol !== "http:") return "must start with http:// or https://";
  if (username !== "" || password !== "") return "has a user name or a password: credentials belong in keys";
  if (hash !== "") return "has a fragment: remove the part after #";
  if (search !== "" && baseUrlQuery !== true) return `has a query, which ${name} does not support`;
  return provider.addressProblem?.(baseUrl);
}

/** Default ports of Redis, Sentinel, NATS and PostgreSQL. */
const storePorts: ReadonlySet<string> = new Set(["6379", "26379", "4222", "6222", "8222", "5432"]);

/**
 * Returns the reason why a vendor must not have this address: it could reach a cloud's credentials, or has the port of a
 * store or of an address in `internalAddresses`.
 */
export function unsafeAddress(origin: string, internalAddresses: readonly string[]): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { hostname, port } = new URL(origin);
  if (isBlockedAddress(hostname)) return "is a link-local address or a cloud's metadata address, which is not allowed";
  const isInside = internalAddresses.some((address) => URL.canParse(address) && new URL(address).port === port);
  return port !== "" && (storePorts.has(port) || isInside)
    ? `has port ${port}, which belongs to a store of the gateway`
    : undefined;
}
