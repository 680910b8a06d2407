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
import { recordPublishedOf } from "./record-copies.ts";

type Comparison =
  | "agrees"
  /** Redis lacks the account. */
  | "absent"
  /** Redis lacks a receipt that the books have. */
  | "behind"
  /** The books lack receipts, or have a branch of the chain that Redis lacks. */
  | "incomplete";

/** Number of checks with the same gap after which the gap is accepted as permanent. */
const minGapChecks = 30;

/** Dependencies of the comparison of accounts. */
interface AccountComparisonDeps extends RestoreDeps {
  readonly log: Logger;
  /** Accounts whose last comparison failed. Only the first of consecutive failures is logged. */
  readonly failed: Set<string>;
}

/** Number of checks by account and by the gap in its chain (`offset` of `BookedAccount`). */
export type SeenGaps = Map<string, Map<number, number>>;

/**
 * Compares an account. The books must be read before Redis. A receipt that only Redis has is then new, and will reach
 * the books.
 */
function compareAccount({ isComplete, receipts, head }: BookedAccount, redisHead: AccountHead | undefined): Comparison {
  if (redisHead === undefined) return "absent";
  if (!isComplete) return "incomplete";
  if (redisHead.receipts < receipts || (redisHead.receipts === receipts && redisHead.head !== head)) return "behind";
  return "agrees";
}

/** Compares accounts, and restores what Redis has lost. Returns the ids of accounts to compare again. */
export async function compareAccounts(
  deps: AccountComparisonDeps,
  ids: readonly string[],
  seenGaps: SeenGaps,
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
      seenGaps.delete(account.id);
      complete.push(account.id);
      continue;
    }
    const repair = () => repairAccount(deps, account, redisHead, comparison, seenGaps);
    if (!(await runForAccount(deps, account.id, repair))) retried.add(account.id);
  }
  for (const id of await findAccountsToRefund(deps.books, complete)) {
    await runForAccount(deps, id, () => refundSecondSettlements(deps, id));
    retried.add(id);
  }
  for (const id of ids) if (!retried.has(id)) deps.failed.delete(id);
  return [...retried];
}

/** Runs a step for one account. Logs an error of invalid data and throws other errors. */
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
  seenGaps: SeenGaps,
): Promise<boolean> {
  if (comparison === "absent" || redisHead === undefined) {
    // The books know an account without a creation time only from its calls.
    if (account.createdAt !== "") await restoreAccounts(deps, [account]);
    return account.isComplete;
  }
  if (comparison === "incomplete" && !isGapUnchanged(seenGaps, account)) return false;
  // JetStream may discard a second settlement as a duplicate, so published events are also recorded directly.
  if ((await recordPublishedOf(deps, account.id)) > 0) return false;
  const branches = await findBranches(deps.books, account, redisHead.head);
  const reinstated = await reinstateReceipts(deps.books, account.id, branches?.hashBefore ?? redisHead.head);
  if (branches !== undefined && reinstated === 0)
    await repairChain(deps, account, { redisHead: redisHead.head, branches, seenGaps });
  return false; // compared again when the books have received the changes
}

/** Charges again what Redis has lost. Otherwise corrects the last receipt in the books, or accepts a permanent gap. */
async function repairChain(
  deps: RestoreDeps,
  account: BookedAccount,
  { redisHead, branches, seenGaps }: { redisHead: string; branches: Branches; seenGaps: SeenGaps },
): Promise<void> {
  const { head, orphans, isComplete } = branches;
  const [current] = await readHeads(deps.redis, [account.id]);
  const lost = current?.head === redisHead ? orphans : withoutEntriesAfter(orphans, redisHead);
  await chargeAgain(deps, account.id, lost, "Redis was behind the books");
  if (orphans.length > 0) return;
  if (!isComplete) await acceptGap(deps, account, seenGaps);
  else if (head !== undefined) await correctHead(deps.books, account.id, head);
}

/** Returns the orphans that do not follow `head`. Entries after it may be new in Redis. */
function withoutEntriesAfter(orphans: readonly ChainedEvent[], head: string): readonly ChainedEvent[] {
  const later = new Set([head]);
  return orphans.filter(({ receipt }) => {
    if (!later.has(receipt.previous)) return true;
    later.add(receipt.hash);
    return false;
  });
}

/**
 * Counts a check of an account's gap. Returns true if an earlier check found the same gap. While events are in transit,
 * the gap changes.
 */
function isGapUnchanged(seenGaps: SeenGaps, { id, offset }: BookedAccount): boolean {
  const counts = seenGaps.get(id) ?? new Map<number, number>();
  seenGaps.set(id, counts);
  const times = (counts.get(offset) ?? 0) + 1;
  counts.set(offset, times);
  return times > 1;
}

/** Accepts a gap that remains in many checks. */
async function acceptGap({ books }: RestoreDeps, account: BookedAccount, seenGaps: SeenGaps): Promise<void> {
  const { id, offset } = account;
  if ((seenGaps.get(id)?.get(offset) ?? 0) < minGapChecks) return;
  await acceptMissingReceipts(books, account);
  seenGaps.delete(id);
}
