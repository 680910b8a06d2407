/** Text beyond this is counted by its length: a tokenizer over megabytes would stop the process for everybody else. */
const mostCharacters = 256 * 1024;
/** What a token is at least, on average, in text that no tokenizer looked at. */
const bytesPerToken = 4;

let counting: Promise<(text: string) => number> | undefined;

/** Tokens in a text, by the tokenizer of the common models; loaded on the first need, since most vendors report usage. */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  if (text.length > mostCharacters) return estimateTokens(Buffer.byteLength(text));
  counting ??= import("gpt-tokenizer").then(
    ({ countTokens: count }) =>
      (words: string) =>
        count(words, { disallowedSpecial: new Set() }),
  );
  return (await counting)(text);
}

/** Tokens in so many bytes of text, roughly. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}
