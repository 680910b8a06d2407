import { Tokenizer } from "./tokenizer.ts";

/**
 * Maximum characters that are counted by the tokenizer, which all calls share; longer texts are estimated by their
 * length.
 */
const maxCharacters = 256 * 1024;
/** Average bytes per token in text that is estimated. */
const bytesPerToken = 4;
/**
 * Minimum bytes per token in every language for which vendors publish counts; four bytes are usual. If a text has more
 * tokens than this allows, settlement takes their cost from the balance.
 */
export const minBytesPerToken = 2;

const tokenizer = new Tokenizer();

/**
 * Counts the tokens in a text with the tokenizer of the common models; a text that is too long for it is estimated by
 * its length.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const counted = text.length > maxCharacters ? undefined : await tokenizer.count(text);
  return counted ?? estimateTokens(Buffer.byteLength(text));
}

/** Estimates the tokens in a number of bytes of text. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}
