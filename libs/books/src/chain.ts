import type { Receipt } from "@modelgate/contracts";

/** Number of hexadecimal digits of a hash in its link: 52 bits, so that the sum of two links is a safe integer. */
const linkDigits = 13;
/** Modulus of sums of links. */
export const linkModulus = 2 ** 52;

/** Returns the link of a receipt: the first 52 bits of its hash; 0 if the hash is empty. */
export function receiptLink(hash: string): number {
  return Number.parseInt(hash.slice(0, linkDigits), 16) || 0;
}

/**
 * Returns a receipt's link minus the link of the previous receipt. In a complete chain, these steps add up to the link
 * of the last receipt, in any order.
 */
export function chainStep({ hash, previous }: Pick<Receipt, "hash" | "previous">): number {
  return reduceModulo(receiptLink(hash) - receiptLink(previous));
}

/** Returns a sum modulo `linkModulus`, never negative. */
export function reduceModulo(sum: number): number {
  return ((sum % linkModulus) + linkModulus) % linkModulus;
}
