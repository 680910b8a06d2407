import type { Receipt } from "@modelgate/contracts";

/** Hexadecimal digits of a hash that a link is made of: 52 bits, whose sum with another stays a whole double. */
const digits = 13;
/** Links are counted modulo this. */
export const linkModulus = 2 ** 52;

/** Returns the first 52 bits of a receipt's hash as a number; 0 if it is empty or not hexadecimal. */
export function linkOf(hash: string): number {
  return Number.parseInt(hash.slice(0, digits), 16) || 0;
}

/**
 * Returns the amount that a receipt adds to the sum of its account's chain: its own link minus the link of the receipt
 * before. Over a chain without a gap and without a fork, all terms but the last cancel out, in any order: the sum is
 * the link of its head. A missing or additional receipt makes a different sum.
 */
export function stepOf({ hash, previous }: Pick<Receipt, "hash" | "previous">): number {
  return reduced(linkOf(hash) - linkOf(previous));
}

/** A sum of links within the modulus. */
export function reduced(sum: number): number {
  return ((sum % linkModulus) + linkModulus) % linkModulus;
}
