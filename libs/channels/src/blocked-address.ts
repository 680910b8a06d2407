import dns, { type LookupAddress, type LookupOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Link-local addresses, and other addresses where clouds serve a machine's credentials. */
const blocked = new BlockList();
blocked.addSubnet("169.254.0.0", 16);
blocked.addSubnet("fe80::", 10, "ipv6");
blocked.addAddress("fd00:ec2::254", "ipv6"); // AWS
blocked.addAddress("100.100.100.200"); // Alibaba Cloud
blocked.addAddress("168.63.129.16"); // Azure
blocked.addAddress("192.0.0.192"); // Oracle Cloud

/** Returns true for an IP address in `blocked`. */
export function isBlockedAddress(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(address);
  return version !== 0 && blocked.check(address, version === 6 ? "ipv6" : "ipv4");
}

/** Throws Error if the host of a URL is a blocked IP address. `vendorLookup` checks the addresses of host names. */
export function checkAddress(address: string | URL): void {
  const { hostname } = new URL(address);
  if (isBlockedAddress(hostname)) throw blockedError(hostname);
}

function blockedError(host: string): Error {
  return new Error(`${host} is a link-local address or a cloud's metadata address, which is not allowed`);
}

/** Resolves a vendor's host name for a connection. Fails if any of its addresses is blocked. */
export const vendorLookup: LookupFunction = (host, options: LookupOptions, callback) => {
  dns.lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error !== null) return callback(error, "", 0);
    if (addresses.some(({ address }) => isBlockedAddress(address))) return callback(blockedError(host), "", 0);
    if (options.all === true) return callback(null, addresses);
    return callback(null, addresses[0]?.address ?? "", addresses[0]?.family ?? 0);
  });
};
