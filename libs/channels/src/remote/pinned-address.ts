import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { hostOf, withoutBrackets } from "../host-of.ts";
import { isGlobalAddress } from "./global-address.ts";
import { NotFetched } from "./not-fetched.ts";

/**
 * Parses an operator's list of hosts, separated by commas. Returns them in lower case and without brackets, for
 * comparison with `hostOf`.
 */
export function hostsIn(list: string): ReadonlySet<string> {
  const hosts = list.split(",").map((host) => host.trim().toLowerCase());
  return new Set(hosts.filter((host) => host !== "").map(withoutBrackets));
}

/** Resolves a host's name to its addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Rules about which hosts and addresses may be fetched from. */
export interface RemoteRules {
  /** Hosts in the operator's network that may be fetched from although their addresses are private. */
  readonly privateHosts: ReadonlySet<string>;
  /**
   * Origin (scheme, host and port) of a channel's configured address; present only for URLs from the channel's vendor.
   * Files may be fetched from it although its address is private. Another port of the same host is not trusted, because
   * it may be another service of the operator.
   */
  readonly trustedOrigin?: string | undefined;
  /** True if a proxy opens the connection. The proxy may resolve a vendor's names that this machine cannot resolve. */
  readonly isProxied?: boolean | undefined;
  readonly resolve: Resolve;
  readonly isAllowed: (address: string) => boolean;
}

/** Rules for the public internet, with the resolver of this machine. */
export const remoteRules: RemoteRules = {
  privateHosts: new Set(),
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: isGlobalAddress,
};

/**
 * Resolves the host of a URL and returns the IP address to connect to. The caller, or its proxy, connects to this
 * address without resolving the name again, so that a later DNS answer cannot change the target. Returns the name
 * instead only for a proxy: for a URL that the vendor gave, and for a host that the operator allows but this machine
 * cannot resolve. Throws NotFetched if the URL is not allowed, the host is unknown, or one of its addresses is
 * forbidden.
 */
export async function pinnedAddress(
  url: URL,
  { privateHosts, trustedOrigin, isProxied, resolve, isAllowed }: RemoteRules,
): Promise<string> {
  checkUrl(url);
  const host = hostOf(url);
  const isOrigin = url.origin === trustedOrigin;
  // Many proxies accept only hosts by name. The proxy knows this name anyway: calls to the channel contain it too.
  if (isOrigin && isProxied === true) return host;
  const addresses = isIP(host) === 0 ? await resolved(host, resolve) : [host];
  const [first] = addresses;
  const isTrusted = isOrigin || privateHosts.has(host);
  if (first === undefined) {
    // A client could choose a name that only the proxy resolves, to a private address that cannot be checked here.
    if (isProxied === true && (isTrusted || trustedOrigin !== undefined)) return host;
    throw new NotFetched("its host is not known");
  }
  if (!isTrusted && !addresses.every(isAllowed)) throw new NotFetched("its host is not on the public internet");
  // Many proxies allow only named hosts, and a vendor does not choose a name to reach the operator's network.
  return isProxied === true && trustedOrigin !== undefined ? host : first;
}

/** Checks the scheme of a URL, and that it has no credentials. Throws NotFetched. */
function checkUrl({ protocol, username, password }: URL): void {
  if (protocol !== "https:" && protocol !== "http:") throw new NotFetched("its scheme is not http or https");
  if (username !== "" || password !== "") throw new NotFetched("it holds a user name or password");
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch {
    return [];
  }
}
