import { tokensIn } from "@modelgate/contracts";
import { boundOfHeld, type UsageBound } from "@modelgate/relay";
import { estimateUnits, type SessionBytes } from "@modelgate/wires/realtime";

/**
 * Maximum factor by which a vendor's token count may exceed the estimate from bytes: telephone audio has six times as
 * many seconds per byte as the usual audio, and some vendors count three times as many tokens per second.
 */
const maxCountFactor = 18;
/** Tokens in a context that are not sent by the client: instructions, tools and additions of the vendor. */
const contextTokens = 65_536;
/** Maximum tokens of one response that the vendor does not send, such as reasoning. */
const unshownTokens = 16_384;
/** Minimum bytes per second of a session's audio. */
const minBytesPerSecond = 1_000;
const roundedUpSeconds = 60;

/**
 * Returns the maximum usage of one response. The response may have read everything that passed since the session
 * started (`all`), and has written what passed since the last settlement (`since`).
 */
export function boundOfSession(all: SessionBytes, since: SessionBytes): UsageBound {
  const read = tokensIn(estimateUnits(all)) * maxCountFactor;
  const tokens = tokensIn(estimateUnits({ ...since, audioIn: 0, textIn: 0 })) * maxCountFactor;
  return {
    ...boundOfHeld({}),
    inputTokens: read + contextTokens,
    outputTokens: tokens + unshownTokens,
    seconds: all.audioIn / minBytesPerSecond + roundedUpSeconds,
  };
}
