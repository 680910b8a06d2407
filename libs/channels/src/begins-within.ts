import { Failure } from "@modelgate/contracts";

/**
 * Runs an exchange up to its first byte, and ends it where that does not come within `ms` (absent: whenever it comes).
 * What follows the first byte is no longer watched; `outer` ends it at any time. Throws Failure upstream_timeout where
 * the time was up, else what the exchange throws.
 */
export async function beginsWithin<Begun>(
  ms: number | undefined,
  outer: AbortSignal,
  exchange: (signal: AbortSignal) => Promise<Begun>,
): Promise<Begun> {
  if (ms === undefined) return exchange(outer);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await exchange(AbortSignal.any([outer, late.signal]));
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new Failure("upstream_timeout", "The vendor did not begin to answer in time.", { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
