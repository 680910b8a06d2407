import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { hostOf, withoutBrackets } from "../host-of.ts";
import { isGlobalAddress } from "./global-address.ts";
import { NotFetched } from "./not-fetched.ts";

/**
 * Parses an operator's list of hosts, separated by commas. Returns them in the form of a URL's host: in lower case,
 * without brackets.
 */
export function hostsIn(list: string): ReadonlySet<string> {
  const hosts = list.split(",").map((host) => host.trim().toLowerCase());
  return new Set(hosts.filter((host) => host !== "").map(withoutBrackets));
}

/** Resolves a host's name to its addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Hosts and addresses that may be fetched from. */
export interface RemoteRules {
  /** Hosts of the operator's network that may be fetched from at any address. */
  readonly privateHosts: ReadonlySet<string>;
  /**
   * Scheme, host and port of a channel's configured address, from which its files may be fetched at any IP address.
   * Another port of the same host is not trusted, because it may be another service of the operator.
   */
  readonly trustedOrigin?: string | undefined;
  readonly resolve: Resolve;
  readonly isAllowed: (address: string) => boolean;
}

/** Rules for the public internet, with this machine's resolver. */
export const remoteRules: RemoteRules = {
  privateHosts: new Set(),
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: isGlobalAddress,
};

/**
 * Returns the address that a URL's host is connected to. The name is resolved only here, so a later DNS answer changes
 * nothing. A name with at least one forbidden address is refused. Throws NotFetched.
 */
export async function pinnedAddress(
  url: URL,
  { privateHosts, trustedOrigin, resolve, isAllowed }: RemoteRules,
): Promise<string> {
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new NotFetched("its scheme is not http or https");
  if (url.username !== "" || url.password !== "") throw new NotFetched("it holds a user name or password");
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolved(host, resolve) : [host];
  const [first] = addresses;
  if (first === undefined) throw new NotFetched("its host is not known");
  const isTrusted = url.origin === trustedOrigin || privateHosts.has(host);
  if (!isTrusted && !addresses.every(isAllowed)) throw new NotFetched("its host is not on the public internet");
  return first;
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch {
    throw new NotFetched("its host is not known");
  }
}
