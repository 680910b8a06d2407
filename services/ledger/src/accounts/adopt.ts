import { findAccount, listAccountIds, listCredits, readSnapshot, tokensWithDigests } from "@modelgate/accounts";
import { adoptAccount, adoptToken, findAccounts, recordCredits } from "@modelgate/books";
import type { WriteDeps } from "./write-to-redis.ts";

const accountsPerPage = 500;

/**
 * Copies accounts that only Redis has into the books, with their API keys and credits. Versions without books stored
 * accounts only in Redis. Returns the number of copied accounts.
 */
export async function adoptAccounts({ redis, books }: WriteDeps): Promise<number> {
  const ids = await listAccountIds(redis);
  let adopted = 0;
  for (let from = 0; from < ids.length; from += accountsPerPage) {
    const page = ids.slice(from, from + accountsPerPage);
    const bookedIds = new Set(
      (await findAccounts(books, page)).filter(({ createdAt }) => createdAt !== "").map(({ id }) => id),
    );
    for (const id of page.filter((each) => !bookedIds.has(each))) if (await adopt({ redis, books }, id)) adopted++;
  }
  return adopted;
}

async function adopt({ redis, books }: WriteDeps, id: string): Promise<boolean> {
  const [account, snapshot] = [await findAccount(redis, id), await readSnapshot(redis, id)];
  if (account === undefined || snapshot === undefined) return false;
  await recordCredits(books, await listCredits(redis, id));
  const { name, createdAt } = account;
  await adoptAccount(books, {
    id,
    name,
    createdAt: createdAt === "" ? new Date().toISOString() : createdAt,
    receipts: snapshot.receipts,
    head: snapshot.head,
    balanceNanos: snapshot.availableNanos + snapshot.heldNanos,
  });
  for (const { digest, token } of await tokensWithDigests(redis, id)) {
    const { version: _version, previous: _previous, ...record } = token;
    await adoptToken(books, { account: id, id: token.id, digest, record });
  }
  return true;
}
