import type { Nanos } from "@modelgate/contracts";

/** The largest amount that one step moves, a billion dollars: sums of many stay within Redis' 64-bit integers. */
export const largestAmount: Nanos = 10n ** 18n;

/** An amount within what one step moves. */
export function within(nanos: Nanos): Nanos {
  return nanos > largestAmount ? largestAmount : nanos;
}
