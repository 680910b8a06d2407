import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Range of all global unicast IPv6 addresses that are allocated. */
const [globalPrefix, globalBits] = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns whether an IP address is on the public internet (global unicast). False for addresses that embed another one
 * (IPv4-mapped, NAT64, 6to4, Teredo), for shared and reserved ranges, and for text that is not an IP address.
 */
export function isGlobalAddress(address: string): boolean {
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(globalPrefix, globalBits);
}
