import { Tokenizer } from "./tokenizer.ts";

/** Text beyond this is counted by its length: others wait for the tokenizer, too. */
const maxCharacters = 256 * 1024;
/** Bytes of a token, on average, in text that no tokenizer looked at. */
const bytesPerToken = 4;
/**
 * Minimum bytes per token in every language and code for which vendors publish counts; four bytes are usual. If a text
 * has more tokens than this allows, settlement takes their cost from the balance.
 */
export const minBytesPerToken = 2;

const tokenizer = new Tokenizer();

/** Tokens in a text, by the tokenizer of the common models, or by its length where it is too long for one. */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  const counted = text.length > maxCharacters ? undefined : await tokenizer.count(text);
  return counted ?? estimateTokens(Buffer.byteLength(text));
}

/** Tokens in so many bytes of text, roughly. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}
