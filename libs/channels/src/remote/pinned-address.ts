import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { hostOf, withoutBrackets } from "../host-of.ts";
import { isGlobalAddress } from "./global-address.ts";
import { NotFetched } from "./not-fetched.ts";

/** Parses a list of hosts, separated by commas, for comparison with `hostOf`. */
export function parseHosts(list: string): ReadonlySet<string> {
  const hosts = list.split(",").map((host) => host.trim().toLowerCase());
  return new Set(hosts.filter((host) => host !== "").map(withoutBrackets));
}

/** Resolves a host's name to its addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Rules about the hosts and addresses that may be fetched from. */
export interface RemoteRules {
  /** Hosts with private addresses that may be fetched from. */
  readonly privateHosts: ReadonlySet<string>;
  /**
   * Origin of the channel's vendor, which may have a private address. Other ports of the same host are not trusted,
   * because they may be other services. Set only for URLs that this vendor gave.
   */
  readonly trustedOrigin?: string | undefined;
  /** True if a proxy opens the connection. */
  readonly isProxied?: boolean | undefined;
  readonly resolve: Resolve;
  readonly isAllowed: (address: string) => boolean;
}

/** Rules for the public internet. */
export const remoteRules: RemoteRules = {
  privateHosts: new Set(),
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: isGlobalAddress,
};

/**
 * Returns the IP address to connect to, so that a later DNS answer cannot change the target. It returns the host's name
 * only for a proxy, in two cases: a vendor gave the URL, or the operator allows the host and this machine cannot
 * resolve it. Throws NotFetched if the host is unknown or one of its addresses is forbidden.
 */
export async function resolvePinnedAddress(
  url: URL,
  { privateHosts, trustedOrigin, isProxied, resolve, isAllowed }: RemoteRules,
): Promise<string> {
  checkUrl(url);
  const host = hostOf(url);
  const isOrigin = url.origin === trustedOrigin;
  // Many proxies accept only hosts by name. The proxy knows this name anyway, from calls to the channel.
  if (isOrigin && isProxied === true) return host;
  const addresses = isIP(host) === 0 ? await addressesOf(host, resolve) : [host];
  const [first] = addresses;
  const isTrusted = isOrigin || privateHosts.has(host);
  if (first === undefined) {
    // A name in a client's URL could have a private address that only the proxy resolves, so it is refused.
    if (isProxied === true && (isTrusted || trustedOrigin !== undefined)) return host;
    throw new NotFetched("its host is not known");
  }
  if (!isTrusted && !addresses.every(isAllowed)) throw new NotFetched("its host is not on the public internet");
  // Many proxies accept only hosts by name. A vendor has no reason to choose a name of the operator's network.
  return isProxied === true && trustedOrigin !== undefined ? host : first;
}

function checkUrl({ protocol, username, password }: URL): void {
  if (protocol !== "https:" && protocol !== "http:") throw new NotFetched("its scheme is not http or https");
  if (username !== "" || password !== "") throw new NotFetched("it contains a user name or password");
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch {
    return [];
  }
}
