import { tokensIn } from "@modelgate/contracts";
import { boundOfHeld, type UsageBound } from "@modelgate/relay";
import { estimateUnits, type SessionBytes } from "@modelgate/wires/realtime";

/**
 * Maximum factor by which a vendor's token count may exceed the estimate from bytes: six for telephone audio, times
 * three for vendors that count more tokens per second.
 */
const maxCountFactor = 18;
/** Maximum tokens in a context that the client does not send: instructions, tools and additions of the vendor. */
const contextTokens = 65_536;
/** Maximum tokens of one response that the vendor does not send, such as reasoning. */
const unshownTokens = 16_384;
/** Minimum bytes per second of a session's audio. */
const minBytesPerSecond = 1_000;
const roundingSeconds = 60;

/**
 * Returns the maximum usage of one response, which may have read `all` bytes of the session. `since` are the bytes since
 * the last settlement.
 */
export function boundOfSession(all: SessionBytes, since: SessionBytes): UsageBound {
  const read = tokensIn(estimateUnits(all)) * maxCountFactor;
  const tokens = tokensIn(estimateUnits({ ...since, audioIn: 0, textIn: 0 })) * maxCountFactor;
  return {
    ...boundOfHeld({}),
    inputTokens: read + contextTokens,
    outputTokens: tokens + unshownTokens,
    seconds: all.audioIn / minBytesPerSecond + roundingSeconds,
  };
}
