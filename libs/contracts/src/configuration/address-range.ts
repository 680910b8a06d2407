import { isIP } from "node:net";

/** A range of IP addresses in CIDR notation. */
export interface AddressRange {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  readonly prefix: number;
}

/** Parses an IP address or a range in CIDR notation; undefined for any other text. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = "", written, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || more.length > 0) return undefined;
  const bits = version === 4 ? 32 : 128;
  if (written !== undefined && (!/^\d{1,3}$/.test(written) || Number(written) > bits)) return undefined;
  return { address, family: version === 4 ? "ipv4" : "ipv6", prefix: written === undefined ? bits : Number(written) };
}
