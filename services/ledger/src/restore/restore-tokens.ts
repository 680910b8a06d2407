import { findToken } from "@modelgate/accounts";
import { readTokensOf } from "@modelgate/books";
import { projectBookedToken, type Projecting } from "../accounts/project.ts";

/** API keys whose commands are sent together. */
const atOnce = 500;

/**
 * Writes API keys of these accounts to Redis that it lacks, or has in a state before their last change; otherwise a key
 * that was disabled just before the loss would work again. Returns their number.
 */
export async function restoreTokens({ redis, books }: Projecting, accounts: readonly string[]): Promise<number> {
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
