import { findToken } from "@modelgate/accounts";
import { tokensOf } from "@modelgate/books";
import { projectBookedToken, type Projecting } from "../accounts/project.ts";

/** Tokens whose steps are sent together. */
const atOnce = 500;

/**
 * Gives Redis the tokens of these accounts that it does not have, or has as they were before their last change; how many. One that
 * was disabled just before Redis was lost would work again.
 */
export async function restoreTokens({ redis, books }: Projecting, accounts: readonly string[]): Promise<number> {
  const tokens = await tokensOf(books, accounts);
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
