import { Tokenizer } from "./tokenizer.ts";

/** Text beyond this is counted by its length: others wait for the tokenizer, too. */
const maxCharacters = 256 * 1024;
/** Bytes of a token, on average, in text that no tokenizer looked at. */
const bytesPerToken = 4;
/**
 * Text has at most a token for two bytes in every language and code that vendors publish counts for; four is usual. What
 * a stranger text has beyond it, settlement takes from the balance.
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
