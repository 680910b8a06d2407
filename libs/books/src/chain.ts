import type { Receipt } from "@modelgate/contracts";

/** Hexadecimal digits of a hash that form its link: 52 bits, so that the sum of two links is exact in a double. */
const digits = 13;
/** Modulus of sums of links. */
export const linkModulus = 2 ** 52;

/** Returns the first 52 bits of a receipt's hash as a number; 0 if it is empty or not hexadecimal. */
export function linkOf(hash: string): number {
  return Number.parseInt(hash.slice(0, digits), 16) || 0;
}

/**
 * Returns the amount that a receipt adds to the sum of its account's chain: its link minus the link of the previous
 * receipt. In a complete chain all terms but the last cancel out, in any order, so the sum is the link of its head. A
 * missing or additional receipt changes the sum.
 */
export function stepOf({ hash, previous }: Pick<Receipt, "hash" | "previous">): number {
  return reduced(linkOf(hash) - linkOf(previous));
}

/** Returns a sum of links reduced by the modulus. */
export function reduced(sum: number): number {
  return ((sum % linkModulus) + linkModulus) % linkModulus;
}
