import type { Price, Units } from "@modelgate/contracts";
import { countTokens, estimateTokens, type Measure } from "@modelgate/relay";
import { countCharacters, type SpeechRequest } from "@modelgate/wires/speech";

/** Assumed tokens per second of speech, for vendors that bill tokens and report none. */
const tokensPerSecond = 21;
/**
 * UTF-8 bytes of text per second of speech: the usual number is for estimates, the slowest for holds. Bytes fit better
 * than characters: a Chinese character has more bytes, and takes longer to speak.
 */
const bytesPerSecond = { usual: 15, slowest: 5 } as const;

/** Returns true if a model's speech is priced by tokens: only if it has no price per character. */
export function isByTokens(price: Price): boolean {
  return !price.has("characters") && (price.has("inputTokens") || price.has("outputAudioTokens"));
}

/** Measures speech by the characters of its text, or by the vendor's tokens if the model is priced by tokens. */
export function speechMeasure(request: SpeechRequest, price: Price): Measure {
  if (!isByTokens(price)) {
    const units: Units = { characters: countCharacters(request.input) };
    // A client that disconnects early pays in full, because the vendor processes the complete text. Speech that the
    // vendor interrupts is free, because a part of a file is useless.
    return {
      upper: units,
      floor: units,
      meter: (_reported, _words, callStatus) =>
        Promise.resolve({ units: callStatus === "failed" ? {} : units, estimated: false }),
    };
  }
  const text = `${request.input}${request.instructions ?? ""}`;
  const bytes = Buffer.byteLength(text);
  const speed = Math.min(1, request.speed ?? 1);
  const audioTokensOfText = (textBytesPerSecond: number): number =>
    Math.ceil((Buffer.byteLength(request.input) / textBytesPerSecond) * tokensPerSecond);
  return {
    upper: { inputTokens: bytes, outputAudioTokens: Math.ceil(audioTokensOfText(bytesPerSecond.slowest) / speed) },
    floor: { inputTokens: estimateTokens(bytes) },
    async meter(reported, _words, callStatus) {
      if (callStatus === "failed") return { units: {}, estimated: false };
      if (reported?.outputAudioTokens !== undefined) return { units: reported, estimated: false };
      const inputTokens = await countTokens(text);
      return { units: { inputTokens, outputAudioTokens: audioTokensOfText(bytesPerSecond.usual) }, estimated: true };
    },
  };
}
