import type { Receipt } from "@modelgate/contracts";

/**
 * Number of hexadecimal digits of a hash that form its link: 52 bits, so that the sum of two links is exact in a
 * double.
 */
const linkDigits = 13;
/** Modulus of sums of links. */
export const linkModulus = 2 ** 52;

/**
 * Returns the link of a receipt: the first 52 bits of its hash as a number; 0 if the hash is empty or not hexadecimal.
 */
export function receiptLink(hash: string): number {
  return Number.parseInt(hash.slice(0, linkDigits), 16) || 0;
}

/**
 * Returns the step that a receipt adds to the sum of its account's chain: its link minus the link of the previous
 * receipt. In a complete chain all links except the last cancel out, in any order of addition, so the sum equals the
 * link of the last receipt. A missing or additional receipt changes the sum.
 */
export function chainStep({ hash, previous }: Pick<Receipt, "hash" | "previous">): number {
  return reduceModulo(receiptLink(hash) - receiptLink(previous));
}

/** Reduces a sum of links by `linkModulus`. */
export function reduceModulo(sum: number): number {
  return ((sum % linkModulus) + linkModulus) % linkModulus;
}
