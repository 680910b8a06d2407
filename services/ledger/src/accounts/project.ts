import {
  applyCredit,
  createAccount,
  findCredit,
  projectToken,
  readToken,
  type CreditReply,
  type Token,
} from "@modelgate/accounts";
import {
  readCreditsOf,
  markProjected,
  markTokenProjected,
  readPendingCredits,
  recordCredits,
  readUnprojectedAccounts,
  readUnprojectedTokens,
  withdrawCredit,
  type BookedToken,
  type Books,
  type NewAccount,
} from "@modelgate/books";
import type { CreditEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";

/** Dependencies for copying the books' accounts to Redis. */
export interface Projecting {
  readonly redis: Redis;
  readonly books: Books;
}

/** Maximum accounts, API keys and credits of one pass. */
const atOnce = 500;
/** Age, in ms, at which an unapplied credit counts as abandoned: the ledger that wrote it died before applying it. */
const leftBehindMs = 10_000;

/** Creates an account in Redis with its opening credit; an existing one stays unchanged. */
export async function projectAccount(
  { redis, books }: Projecting,
  { id, name, createdAt }: NewAccount,
  opening: CreditEvent | undefined,
): Promise<void> {
  await createAccount(redis, { id, name, balance: BigInt(opening?.nanos ?? "0"), createdAt });
  if (opening !== undefined) await recordReceipt({ redis, books }, opening);
  await markProjected(books, [id]);
}

/**
 * Writes the current state of an API key to Redis, unless Redis has a newer version. Returns the key as operators see
 * it.
 */
export async function projectBookedToken({ redis, books }: Projecting, token: BookedToken): Promise<Token> {
  const shown = shownToken(token);
  await projectToken(redis, token.digest, shown);
  await markTokenProjected(books, token);
  return shown;
}

/** Returns an API key as Redis and operators see it. */
export function shownToken({ record, version }: BookedToken): Token {
  const token = readToken(JSON.stringify(record));
  return { ...token, version };
}

/** Applies a credit of the books to Redis, once. Removes a credit that cannot be applied from the books. */
export async function projectCredit({ redis, books }: Projecting, event: CreditEvent): Promise<CreditReply> {
  const reply = await applyCredit(redis, event);
  if (reply === "too-low" || reply === "too-large" || reply === "too-many") await withdrawCredit(books, event, reply);
  else await recordReceipt({ redis, books }, event);
  return reply;
}

/**
 * Writes the receipt of a credit into the books immediately. Its event also carries it, some seconds later; if Redis is
 * lost meanwhile, it would be restored from books that lack the credit's position in the account's chain.
 */
async function recordReceipt({ redis, books }: Projecting, event: CreditEvent): Promise<void> {
  try {
    const applied = await findCredit(redis, event);
    if (applied !== undefined) await recordCredits(books, [applied]);
  } catch {
    // The credit is applied: if this fails, the event carries the receipt.
  }
}

/**
 * Copies everything to Redis that the books have and Redis was not given: a ledger died between the two writes, or
 * Redis was unavailable. Each step can be repeated at any point.
 */
export async function projectLeftovers(projecting: Projecting, nowMs: number): Promise<number> {
  const { books } = projecting;
  const accounts = await readUnprojectedAccounts(books, atOnce);
  const openings = new Map(
    (
      await readCreditsOf(
        books,
        accounts.map(({ id }) => id),
      )
    )
      .filter(({ kind }) => kind === "opening")
      .map((event) => [event.accountId, event]),
  );
  for (const account of accounts) await projectAccount(projecting, account, openings.get(account.id));
  const tokens = await readUnprojectedTokens(books, atOnce);
  for (const token of tokens) await projectBookedToken(projecting, token);
  const credits = (await readPendingCredits(books, atOnce)).filter(
    ({ time }) => Date.parse(time) < nowMs - leftBehindMs,
  );
  for (const event of credits) await projectCredit(projecting, event);
  return accounts.length + tokens.length + credits.length;
}
