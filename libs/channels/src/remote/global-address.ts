import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** All global unicast IPv6 addresses that were ever given out. */
const [globalPrefix, globalBits] = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns whether an IP address is global unicast: an address of the public internet. What only leads to another address
 * (IPv4 mapped, NAT64, 6to4, Teredo), shared or reserved ranges, and everything that is no address are not.
 */
export function isGlobalAddress(address: string): boolean {
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(globalPrefix, globalBits);
}
