import { readHeads, type AccountHead } from "@modelgate/accounts";
import {
  acceptMissingReceipts,
  correctHead,
  findBranches,
  findAccounts,
  findAccountsToRefund,
  isInvalidData,
  reinstateReceipts,
  type BookedAccount,
  type Branches,
  type ChainedEvent,
} from "@modelgate/books";
import type { Logger } from "@modelgate/platform";
import { refundSecondSettlements } from "./refund-second-settlements.ts";
import { chargeAgain, restoreAccounts, type RestoreDeps } from "./restore-accounts.ts";
import { recordPublishedOf } from "./record-sent.ts";

/** Result of comparing an account in Redis with the books. */
type Comparison =
  | "agrees"
  /** Redis lacks the account. */
  | "absent"
  /** Redis lacks a receipt that the books have. */
  | "behind"
  /**
   * The chain in the books is incomplete: receipts are on their way to the books, or the chain has a branch that Redis
   * lacks.
   */
  | "incomplete";

/** Number of checks that must see the same gap before it is accepted as permanent. */
const minGapChecks = 30;

/** Dependencies of the comparison of accounts. */
interface AccountComparisonDeps extends RestoreDeps {
  readonly log: Logger;
  /** Accounts whose last comparison failed. The failure is logged once. */
  readonly failed: Set<string>;
}

/**
 * Gaps in the chains of accounts: for each account, how often each `offset` of the chain (see `BookedAccount`) was
 * seen.
 */
export type SeenGaps = Map<string, Map<number, number>>;

/**
 * Compares an account. The books were read before Redis, so receipts that only Redis has are on their way to the books.
 */
function compareAccount({ isComplete, receipts, head }: BookedAccount, redisHead: AccountHead | undefined): Comparison {
  if (redisHead === undefined) return "absent";
  if (!isComplete) return "incomplete";
  if (redisHead.receipts < receipts || (redisHead.receipts === receipts && redisHead.head !== head)) return "behind";
  return "agrees";
}

/**
 * Compares accounts in Redis with the books, and restores what Redis has lost. Returns the ids of the accounts to
 * compare again: events that decide the result are still on their way, their records are invalid, or they got a refund.
 */
export async function compareAccounts(
  deps: AccountComparisonDeps,
  ids: readonly string[],
  offsets: SeenGaps,
): Promise<readonly string[]> {
  const accounts = await findAccounts(deps.books, ids);
  const heads = await readHeads(
    deps.redis,
    accounts.map(({ id }) => id),
  );
  const retried = new Set<string>();
  const complete: string[] = [];
  for (const [at, account] of accounts.entries()) {
    const redisHead = heads[at];
    const comparison = compareAccount(account, redisHead);
    if (comparison === "agrees") {
      offsets.delete(account.id);
      complete.push(account.id);
      continue;
    }
    const repair = () => repairAccount(deps, account, redisHead, comparison, offsets);
    if (!(await runForAccount(deps, account.id, repair))) retried.add(account.id);
  }
  for (const id of await findAccountsToRefund(deps.books, complete)) {
    await runForAccount(deps, id, () => refundSecondSettlements(deps, id));
    retried.add(id);
  }
  for (const id of ids) if (!retried.has(id)) deps.failed.delete(id);
  return [...retried];
}

/**
 * Runs a step for one account. If data of the account is invalid, logs the error and returns undefined, so that the
 * other accounts are compared. Throws other errors, because they may concern all accounts.
 */
async function runForAccount<T>(
  { log, failed }: AccountComparisonDeps,
  account: string,
  step: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (!isInvalidData(error)) throw error;
    if (!failed.has(account)) log.error({ err: error, account }, "comparing an account with the books failed");
    failed.add(account);
    return undefined;
  }
}

/** Restores what Redis lacks of one account. Returns false if the account must be compared again. */
async function repairAccount(
  deps: RestoreDeps,
  account: BookedAccount,
  redisHead: AccountHead | undefined,
  comparison: Comparison,
  offsets: SeenGaps,
): Promise<boolean> {
  if (comparison === "absent" || redisHead === undefined) {
    // An account without a creation date was never created in these books; only calls of it are known.
    if (account.createdAt !== "") await restoreAccounts(deps, [account]);
    return account.isComplete;
  }
  // JetStream discards the event of a second settlement as a duplicate of the first. So published events are also
  // written into the books directly.
  if ((await recordPublishedOf(deps, account.id)) > 0) return false;
  if (comparison === "incomplete" && !isGapUnchanged(offsets, account)) return false;
  const branches = await findBranches(deps.books, account, redisHead.head);
  const reinstated = await reinstateReceipts(deps.books, account.id, branches?.unknown ?? redisHead.head);
  if (branches !== undefined && reinstated === 0)
    await repairChain(deps, account, { redisHead: redisHead.head, branches, offsets });
  return false; // compared again when the books have received the changes
}

/**
 * Charges again what Redis has lost. If it has lost nothing, corrects the last receipt in the books, or accepts a
 * permanent gap.
 */
async function repairChain(
  deps: RestoreDeps,
  account: BookedAccount,
  { redisHead, branches, offsets }: { redisHead: string; branches: Branches; offsets: SeenGaps },
): Promise<void> {
  const { head, orphans, complete } = branches;
  const [current] = await readHeads(deps.redis, [account.id]);
  const lost = current?.head === redisHead ? orphans : withoutLater(orphans, redisHead);
  await chargeAgain(deps, account.id, lost, "Redis was behind the books");
  if (orphans.length > 0) return;
  if (!complete) await acceptGap(deps, account, offsets);
  else if (head !== undefined) await correctHead(deps.books, account.id, head);
}

/**
 * Returns the orphans (entries outside of Redis' chain) that do not continue the chain after `head`. If Redis had this
 * head before the books were read and another one afterwards, entries after it may be new.
 */
function withoutLater(orphans: readonly ChainedEvent[], head: string): readonly ChainedEvent[] {
  const later = new Set([head]);
  return orphans.filter(({ receipt }) => {
    if (!later.has(receipt.previous)) return true;
    later.add(receipt.hash);
    return false;
  });
}

/**
 * Returns true if an account has the same gap as before. A gap changes from check to check while its missing events are
 * on their way to the books.
 */
function isGapUnchanged(offsets: SeenGaps, { id, offset }: BookedAccount): boolean {
  const counts = offsets.get(id) ?? new Map<number, number>();
  offsets.set(id, counts);
  const times = (counts.get(offset) ?? 0) + 1;
  counts.set(offset, times);
  return times > 1;
}

/**
 * Records a permanent gap, of receipts that the books never got or have lost, so that later checks take it into
 * account.
 */
async function acceptGap({ books }: RestoreDeps, account: BookedAccount, offsets: SeenGaps): Promise<void> {
  const { id, offset } = account;
  if ((offsets.get(id)?.get(offset) ?? 0) < minGapChecks) return;
  await acceptMissingReceipts(books, account);
  offsets.delete(id);
}
