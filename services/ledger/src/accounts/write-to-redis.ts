import {
  applyCredit,
  createAccount,
  findCredit,
  writeTokenToRedis,
  readToken,
  setAccount,
  type CreditReply,
  type Token,
} from "@modelgate/accounts";
import {
  markAccountsWritten,
  markTokenWritten,
  recordCredits,
  removeUnappliedCredit,
  type BookedToken,
  type Books,
  type NewAccount,
} from "@modelgate/books";
import { withoutUndefined, type CreditEvent } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";

const dayMs = 86_400_000;

/** Dependencies for writing accounts from the books to Redis. */
export interface WriteDeps {
  readonly redis: Redis;
  readonly books: Books;
}

/** Account to write to Redis. */
type WrittenAccount = Pick<NewAccount, "createdAt" | "id" | "name"> & {
  readonly disabled?: boolean;
  readonly version?: number;
};

/**
 * Creates an account in Redis with its opening credit. Changes only name and state of an existing account, unless Redis
 * has newer ones.
 */
export async function writeAccount(
  { redis, books }: WriteDeps,
  { id, name, createdAt, disabled = false, version = 0 }: WrittenAccount,
  opening: CreditEvent | undefined,
): Promise<void> {
  await createAccount(redis, { id, name, balance: BigInt(opening?.nanos ?? "0"), createdAt });
  if (opening !== undefined) await recordReceipt({ redis, books }, opening);
  if (version > 0) await setAccount(redis, { id, name, disabled, version });
  await markAccountsWritten(books, [id]);
}

/** Writes an API key to Redis, unless Redis has a newer version. Returns the key as operators see it. */
export async function writeBookedToken({ redis, books }: WriteDeps, token: BookedToken): Promise<Token> {
  const publicToken = publicTokenOf(token);
  await writeTokenToRedis(redis, token.digest, publicToken, token.replaced);
  await markTokenWritten(books, token);
  return publicToken;
}

/** Returns an API key as Redis stores it and operators see it. */
export function publicTokenOf({ record, version, replaced: [last], deletedAt }: BookedToken): Token {
  const token = readToken(JSON.stringify(record));
  const previous = last && { hint: last.hint, replacedAt: last.replacedAt, expiresAt: last.expiresAt };
  const { createdAt, rotateAfterDays } = token;
  const rotationDueAt =
    rotateAfterDays === undefined
      ? undefined
      : new Date(Date.parse(last?.replacedAt ?? createdAt) + rotateAfterDays * dayMs).toISOString();
  return withoutUndefined({ ...token, version, previous, rotationDueAt, deletedAt });
}

/** Applies a credit to Redis once. Removes it from the books if it cannot be applied. */
export async function applyBookedCredit({ redis, books }: WriteDeps, event: CreditEvent): Promise<CreditReply> {
  const reply = await applyCredit(redis, event);
  if (reply === "too-low" || reply === "too-large" || reply === "too-many")
    await removeUnappliedCredit(books, event, reply);
  else await recordReceipt({ redis, books }, event);
  return reply;
}

/**
 * Writes the receipt of a credit into the books at once. The event of the credit also contains the receipt, but may be
 * lost with Redis before it is published.
 */
async function recordReceipt({ redis, books }: WriteDeps, event: CreditEvent): Promise<void> {
  try {
    const appliedCredit = await findCredit(redis, event);
    if (appliedCredit !== undefined) await recordCredits(books, [appliedCredit]);
  } catch {
    // Ignored, because the event of the credit contains the receipt.
  }
}
