import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { hostOf, withoutBrackets } from "../host-of.ts";
import { isGlobalAddress } from "./global-address.ts";
import { NotFetched } from "./not-fetched.ts";

/** Hosts as an operator lists them, separated by commas: as URLs have them, in lower case and without brackets. */
export function hostsIn(list: string): ReadonlySet<string> {
  const hosts = list.split(",").map((host) => host.trim().toLowerCase());
  return new Set(hosts.filter((host) => host !== "").map(withoutBrackets));
}

/** Finds the addresses of a host's name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Hosts and addresses that may be fetched from. */
export interface RemoteRules {
  /** Hosts of the operator's own network that may be fetched from, whatever their address. */
  readonly privateHosts: ReadonlySet<string>;
  /**
   * The scheme, host and port of a channel's own address: the one place that its files may come from whatever its
   * address. Another port of the same host may be anything that the operator runs beside it.
   */
  readonly trustedOrigin?: string | undefined;
  readonly resolve: Resolve;
  readonly isAllowed: (address: string) => boolean;
}

/** The public internet, by this machine's resolver. */
export const remoteRules: RemoteRules = {
  privateHosts: new Set(),
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isAllowed: isGlobalAddress,
};

/**
 * The one address that a URL's host is connected to. The name is resolved once, here: another answer of DNS a
 * moment later changes nothing. A name with one forbidden address among several is refused. Throws NotFetched.
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
