import { readHeads, type KnownHead } from "@modelgate/accounts";
import { branchesAt, findBooked, linkModulus, reduced, shiftChain, type BookedAccount } from "@modelgate/books";
import { giveBack } from "./give-back.ts";
import { chargeAgain, putBack, type PutBackDeps } from "./put-back.ts";
import { recordSentOf } from "./record-sent.ts";

/** Result of a comparison of an account in Redis with the books. */
type Standing =
  | "agrees"
  /** Redis does not have it. */
  | "absent"
  /** The books know a receipt that Redis does not. */
  | "behind"
  /** Receipts are missing in the books, which may be on their way, or there is a branch that Redis does not have. */
  | "broken";

/** Number of times that the same gap must be seen before it counts as lasting. */
const checksUntilLasting = 3;

/**
 * Observed gaps of accounts whose receipts are not a complete chain: the amount of each gap, and the number of times it
 * was seen.
 */
export type Offsets = Map<string, Map<number, number>>;

/** Compares an account. The books were read before Redis, so anything that only Redis has is on its way. */
function standingOf({ whole, receipts, head }: BookedAccount, known: KnownHead | undefined): Standing {
  if (known === undefined) return "absent";
  if (!whole) return "broken";
  if (known.receipts < receipts || (known.receipts === receipts && known.head !== head)) return "behind";
  return "agrees";
}

/**
 * Compares accounts with the books, and puts back what Redis has lost of them. The ids of those that have to be looked at
 * again: the events that decide are still on their way.
 */
export async function compareAccounts(
  deps: PutBackDeps,
  ids: readonly string[],
  offsets: Offsets,
): Promise<readonly string[]> {
  const accounts = await findBooked(deps.books, ids);
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

/** Puts back what one account lacks; false where it has to be looked at again. */
async function mend(
  deps: PutBackDeps,
  account: BookedAccount,
  known: KnownHead | undefined,
  standing: Standing,
  offsets: Offsets,
): Promise<boolean> {
  if (standing === "absent" || known === undefined) {
    // One that only its calls are known of was never made here.
    if (account.createdAt !== "") await putBack(deps, [account]);
    return account.whole;
  }
  // What Redis has settled a second time JetStream takes for a repetition: it is reported here alone.
  if ((await recordSentOf(deps, account.id)) > 0) return false;
  if (standing === "broken" && !isLasting(offsets, account)) return false;
  const branches = await branchesAt(deps.books, account, known.head);
  if (branches === undefined) return false;
  const { orphans, complete } = branches;
  await chargeAgain(deps, account.id, orphans, "Redis was behind the books");
  if (!complete && orphans.length === 0) await acceptGap(deps, account, offsets);
  return false; // until the books have heard of it
}

/** Returns true if an account's gap is the same as before: a gap of events on their way changes each time. */
function isLasting(offsets: Offsets, { id, offset }: BookedAccount): boolean {
  const seen = offsets.get(id) ?? new Map<number, number>();
  offsets.set(id, seen);
  const times = (seen.get(offset) ?? 0) + 1;
  seen.set(offset, times);
  return times > 1;
}

/** A gap that stays is of receipts that the books never had, or have no more: it is counted with. */
async function acceptGap({ books }: PutBackDeps, account: BookedAccount, offsets: Offsets): Promise<void> {
  const { id, offset } = account;
  if ((offsets.get(id)?.get(offset) ?? 0) < checksUntilLasting * 10) return;
  await shiftChain(books, id, reduced(-offset), linkModulus);
  offsets.delete(id);
}
