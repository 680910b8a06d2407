import { readHeads, type AccountHead } from "@modelgate/accounts";
import {
  findBranches,
  findAccounts,
  linkModulus,
  reduceModulo,
  adjustChainSum,
  type BookedAccount,
} from "@modelgate/books";
import { giveBack } from "./give-back.ts";
import { chargeAgain, putBack, type PutBackDeps } from "./put-back.ts";
import { recordSentOf } from "./record-sent.ts";

/** Result of a comparison of an account in Redis with the books. */
type Standing =
  | "agrees"
  /** Redis does not have the account. */
  | "absent"
  /** The books have a receipt that Redis lacks. */
  | "behind"
  /** The books lack receipts, which may be in transit, or have a branch that Redis lacks. */
  | "broken";

/** Number of times that the same gap must be seen before it counts as permanent. */
const checksUntilLasting = 3;

/** Observed gaps of accounts with incomplete chains: the amount of each gap, and how often it was seen. */
export type Offsets = Map<string, Map<number, number>>;

/** Compares an account. The books were read before Redis, so anything that only Redis has is in transit. */
function standingOf({ isComplete, receipts, head }: BookedAccount, known: AccountHead | undefined): Standing {
  if (known === undefined) return "absent";
  if (!isComplete) return "broken";
  if (known.receipts < receipts || (known.receipts === receipts && known.head !== head)) return "behind";
  return "agrees";
}

/**
 * Compares accounts with the books, and restores what Redis has lost of them. Returns the ids of accounts to compare
 * again, because the deciding events are still in transit.
 */
export async function compareAccounts(
  deps: PutBackDeps,
  ids: readonly string[],
  offsets: Offsets,
): Promise<readonly string[]> {
  const accounts = await findAccounts(deps.books, ids);
  const heads = await readHeads(
    deps.redis,
    accounts.map(({ id }) => id),
  );
  const again: string[] = [];
  const whole: string[] = [];
  for (const [at, account] of accounts.entries()) {
    const known = heads[at];
    const standing = standingOf(account, known);
    if (standing === "agrees") {
      offsets.delete(account.id);
      whole.push(account.id);
    } else if (!(await mend(deps, account, known, standing, offsets))) again.push(account.id);
  }
  if ((await giveBack(deps, whole)) > 0) again.push(...whole);
  return again;
}

/** Restores what one account lacks. Returns false where it has to be compared again. */
async function mend(
  deps: PutBackDeps,
  account: BookedAccount,
  known: AccountHead | undefined,
  standing: Standing,
  offsets: Offsets,
): Promise<boolean> {
  if (standing === "absent" || known === undefined) {
    // An account without a creation date is known from its calls only and was never created here.
    if (account.createdAt !== "") await putBack(deps, [account]);
    return account.isComplete;
  }
  // JetStream treats a second settlement in Redis as a duplicate, so it is only reported here.
  if ((await recordSentOf(deps, account.id)) > 0) return false;
  if (standing === "broken" && !isLasting(offsets, account)) return false;
  const branches = await findBranches(deps.books, account, known.head);
  if (branches === undefined) return false;
  const { orphans, complete } = branches;
  await chargeAgain(deps, account.id, orphans, "Redis was behind the books");
  if (!complete && orphans.length === 0) await acceptGap(deps, account, offsets);
  return false; // until the books have received it
}

/** Returns true if an account's gap is unchanged; a gap of events in transit changes each time. */
function isLasting(offsets: Offsets, { id, offset }: BookedAccount): boolean {
  const seen = offsets.get(id) ?? new Map<number, number>();
  offsets.set(id, seen);
  const times = (seen.get(offset) ?? 0) + 1;
  seen.set(offset, times);
  return times > 1;
}

/** Records a permanent gap, of receipts that the books never had or have lost, so that later checks include it. */
async function acceptGap({ books }: PutBackDeps, account: BookedAccount, offsets: Offsets): Promise<void> {
  const { id, offset } = account;
  if ((offsets.get(id)?.get(offset) ?? 0) < checksUntilLasting * 10) return;
  await adjustChainSum(books, id, reduceModulo(-offset), linkModulus);
  offsets.delete(id);
}
