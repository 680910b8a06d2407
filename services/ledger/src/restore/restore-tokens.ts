import { findToken } from "@modelgate/accounts";
import { readTokensOf } from "@modelgate/books";
import { projectBookedToken, type ProjectionDeps } from "../accounts/project.ts";

/** Maximum API keys that are restored together. */
const atOnce = 500;

/**
 * Restores API keys of these accounts that Redis lacks, or has in a state before their last change: otherwise a key
 * that was disabled just before the loss would work again. Returns the number of restored keys.
 */
export async function restoreTokens({ redis, books }: ProjectionDeps, accounts: readonly string[]): Promise<number> {
  const tokens = await readTokensOf(books, accounts);
  let restored = 0;
  for (let from = 0; from < tokens.length; from += atOnce) {
    const several = tokens.slice(from, from + atOnce);
    const known = await Promise.all(several.map(({ digest }) => findToken(redis, digest)));
    const lost = several.filter(({ version }, at) => (known[at]?.version ?? 0) < version);
    await Promise.all(lost.map((token) => projectBookedToken({ redis, books }, token)));
    restored += lost.length;
  }
  return restored;
}
