import type { Provider } from "@modelgate/providers";
import { isLinkLocal } from "@modelgate/channels";

/** Returns the reason why an address cannot be the base URL of a channel to a vendor; undefined if it can. */
export function baseUrlProblem(baseUrl: string, provider: Provider): string | undefined {
  const { name, baseUrlQuery } = provider;
  if (!URL.canParse(baseUrl)) return "is no URL";
  const { protocol, username, password, search, hash } = new URL(baseUrl);
  if (protocol !== "https:" && protocol !== "http:") return "is no address of http or https";
  if (username !== "" || password !== "") return "holds a name or a password: what admits a call stands in keys";
  if (hash !== "") return "has a fragment, which no path can follow";
  if (search !== "" && baseUrlQuery !== true) return `has a query, which no path of ${name} can follow`;
  return provider.addressProblem?.(baseUrl);
}

/** Default ports of Redis, Sentinel, NATS and PostgreSQL. */
const storePorts: ReadonlySet<string> = new Set(["6379", "26379", "4222", "6222", "8222", "5432"]);

/**
 * Returns the reason why an origin cannot be a vendor's, phrased to follow `baseUrl`; undefined if it can. Excluded are
 * link-local addresses, which serve cloud credentials, default ports of stores, and the addresses in `inside`, which
 * control itself uses.
 */
export function unsafeAddress(origin: string, inside: readonly string[]): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { hostname, port } = new URL(origin);
  if (isLinkLocal(hostname)) return "is a link-local address, where no vendor is";
  const isInside = inside.some((address) => URL.canParse(address) && new URL(address).port === port);
  return port !== "" && (storePorts.has(port) || isInside)
    ? `has port ${port}, where a store of the gateway is, and no vendor`
    : undefined;
}
