import { isIP } from "node:net";

/** An IPv6 address that maps an IPv4 address (RFC 4291, section 2.5.5.2), as the URL parser writes it. */
const mappedPattern = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;
const mappedBits = 96;

/** A range of IP addresses in CIDR notation. */
export interface AddressRange {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  readonly prefix: number;
}

/**
 * Parses an IP address or a range in CIDR notation. IPv4 addresses that are mapped to IPv6 become IPv4, because the
 * addresses of clients are converted in the same way. Returns undefined for an invalid range, and for one that contains
 * both mapped and other addresses.
 */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = "", prefixText, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || more.length > 0) return undefined;
  const bits = version === 4 ? 32 : 128;
  if (prefixText !== undefined && (!/^\d{1,3}$/.test(prefixText) || Number(prefixText) > bits)) return undefined;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (version === 4) return { address, family: "ipv4", prefix };
  const [, high, low] = mappedPattern.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return { address, family: "ipv6", prefix };
  if (prefix < mappedBits) return undefined;
  const bytes = Buffer.from(high.padStart(4, "0") + low.padStart(4, "0"), "hex");
  return { address: bytes.join("."), family: "ipv4", prefix: prefix - mappedBits };
}
