import { tokensIn } from "@modelgate/contracts";
import { boundOfHeld, type UsageBound } from "@modelgate/relay";
import { roughUnits, type SessionBytes } from "@modelgate/wires/realtime";

/**
 * Factor by which a vendor may count more than the bytes suggest: telephone audio has six times as many seconds per
 * byte as the usual audio, and some vendors count three times as many tokens per second.
 */
const maxCountFactor = 18;
/** Tokens of instructions, tools and the vendor's additions to a context. */
const contextTokens = 65_536;
/** Tokens of reasoning and text of one response that were never shown. */
const unshownTokens = 16_384;
/** Minimum bytes per second of a session's audio. */
const minBytesPerSecond = 1_000;
const roundedUpSeconds = 60;

/**
 * Returns the maximum usage of one response. It reads everything that has passed since the session started (`all`), and
 * has written what passed since the last use (`since`).
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
