import type { Price, Units } from "@modelgate/contracts";
import { countTokens, estimateTokens, type Measure } from "@modelgate/relay";
import { charactersIn, type SpeechRequest } from "@modelgate/wires/speech";

/** Speech is about this many tokens a second with vendors that count any. */
const tokensPerSecond = 21;
/** Bytes of text spoken in a second: usually, and at the slowest. UTF-8 bytes, since a Chinese letter takes longer. */
const bytesPerSecond = { usual: 15, slowest: 5 } as const;

/** Returns true if a model's speech is priced by tokens: only where there is no price per character. */
export function isByTokens(price: Price): boolean {
  return !price.has("characters") && (price.has("inputTokens") || price.has("outputAudioTokens"));
}

/**
 * Measures speech by the characters of its text, which are known beforehand, so that the hold equals the charge; or by
 * the vendor's tokens, estimated where it reports none. The vendor works on the whole text as soon as it begins: a
 * client that leaves in the middle has used all of its characters. Speech that the vendor broke off costs nothing: half
 * of a file is of no use.
 */
export function speechMeasure(request: SpeechRequest, price: Price): Measure {
  if (!isByTokens(price)) {
    const units: Units = { characters: charactersIn(request.input) };
    return {
      upper: units,
      floor: units,
      meter: (_reported, _words, outcome) =>
        Promise.resolve({ units: outcome === "failed" ? {} : units, estimated: false }),
    };
  }
  const text = `${request.input}${request.instructions ?? ""}`;
  const bytes = Buffer.byteLength(text);
  const slow = Math.min(1, request.speed ?? 1);
  const spoken = (perSecond: number): number =>
    Math.ceil((Buffer.byteLength(request.input) / perSecond) * tokensPerSecond);
  return {
    upper: { inputTokens: bytes, outputAudioTokens: Math.ceil(spoken(bytesPerSecond.slowest) / slow) },
    floor: { inputTokens: estimateTokens(bytes) },
    async meter(reported, _words, outcome) {
      if (outcome === "failed") return { units: {}, estimated: false };
      if (reported?.outputAudioTokens !== undefined) return { units: reported, estimated: false };
      const inputTokens = await countTokens(text);
      return { units: { inputTokens, outputAudioTokens: spoken(bytesPerSecond.usual) }, estimated: true };
    },
  };
}
