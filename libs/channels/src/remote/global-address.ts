import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Range of all allocated global unicast IPv6 addresses. */
const [globalPrefix, globalBits] = ipaddr.IPv6.parseCIDR("2000::/3");

/** Returns true if an IP address is on the public internet, and does not embed another address. */
export function isGlobalAddress(address: string): boolean {
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(globalPrefix, globalBits);
}
