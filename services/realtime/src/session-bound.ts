import { tokensIn } from "@modelgate/contracts";
import { boundOfHeld, type UsageBound } from "@modelgate/relay";
import { roughUnits, type SessionBytes } from "@modelgate/wires/realtime";

/**
 * Factor by which a vendor may count more than the data suggests: telephone sound has six times the seconds for its
 * bytes that the usual sound has, and some vendors count three times the tokens for a second.
 */
const maxCountFactor = 18;
/** Instructions, tools and what the vendor adds to a context. */
const contextTokens = 65_536;
/** Thoughts and words of one response that were never shown. */
const unshownTokens = 16_384;
/** The sparest sound that a session may have, in bytes a second. */
const minBytesPerSecond = 1_000;
const roundedUpSeconds = 60;

/**
 * Maximum of one use of a session: a response reads all that has passed since the session began, and has
 * written what passed since the last one. `all` is what passed in the session, `since` what passed since the last use.
 */
export function boundOfSession(all: SessionBytes, since: SessionBytes): UsageBound {
  const read = tokensIn(roughUnits(all)) * maxCountFactor;
  const written = tokensIn(roughUnits({ ...since, audioIn: 0, textIn: 0 })) * maxCountFactor;
  return {
    ...boundOfHeld({}),
    inputTokens: read + contextTokens,
    outputTokens: written + unshownTokens,
    seconds: all.audioIn / minBytesPerSecond + roundedUpSeconds,
  };
}
