import type { CreditEvent, Receipt, UsageEvent } from "@modelgate/contracts";
import { linkOf, reduced, stepOf } from "../chain.ts";
import type { Books } from "../open.ts";
import { secondSettlements } from "../other-receipts.ts";
import { readCalls } from "../read-calls.ts";
import type { CallPosition } from "../read-positions.ts";
import { readCredits } from "../read-receipts.ts";
import type { BookedAccount } from "./account.ts";

/** A settled call or an applied credit with its receipt. */
export type Booked = (CreditEvent | UsageEvent) & { readonly receipt: Receipt };

/** Receipts of an account that are not in the chain which ends at a head. */
export interface Branches {
  /** Receipt at the end of the chain; absent: the chain is empty. */
  readonly head?: Receipt | undefined;
  /** Entries that are not in the chain, in the order of their numbers: Redis has lost them. */
  readonly orphans: readonly Booked[];
  /** True if every receipt in the books was found in the chain or among the orphans. */
  readonly complete: boolean;
}

/** Calls per query, and maximum number of calls that are read. */
const [pageSize, maxCalls] = [500, 50_000];

/**
 * Finds the entries that are not in the chain which ends at a head. The latest calls are read until the orphans among
 * them explain the difference of the chain's sum. Undefined if the head is not (yet) among them.
 */
export async function branchesAt(books: Books, account: BookedAccount, head: string): Promise<Branches | undefined> {
  let branches: Branches | undefined;
  for await (const entries of newestOf(books, account)) {
    branches = divided(entries, head, account);
    if (branches?.complete === true) break;
  }
  return branches;
}

/** Finds the head of the longest known chain and the entries outside it, for a Redis that has lost the account. */
export async function newestChain(books: Books, account: BookedAccount): Promise<Branches> {
  let all: readonly Booked[] = [];
  for await (const entries of newestOf(books, account)) {
    all = entries;
    const parents = new Set(entries.map(({ receipt }) => receipt.previous));
    const ends = entries.filter(({ receipt }) => !parents.has(receipt.hash));
    const newestFirst = ends.toSorted(byNumber).toReversed();
    // The last candidate is for an account whose first receipt is missing: all its entries are outside an empty chain.
    for (const hash of [...newestFirst.map(({ receipt }) => receipt.hash), ""]) {
      const branches = divided(entries, hash, account);
      if (branches?.complete === true) return branches;
    }
  }
  const last = all.toSorted(byNumber).at(-1);
  return (last && divided(all, last.receipt.hash, account)) ?? { orphans: [], complete: all.length === 0 };
}

/** Reads the entries of an account, latest calls first; each iteration adds a page. */
async function* newestOf(books: Books, { id }: BookedAccount): AsyncGenerator<readonly Booked[]> {
  const entries: Booked[] = [...(await readCredits(books, id)), ...(await secondSettlements(books, id))].filter(
    isBooked,
  );
  const filter = { from: 0, to: Number.MAX_SAFE_INTEGER, account: id };
  for (let after: CallPosition | undefined; entries.length < maxCalls;) {
    const position = after;
    const page = await readCalls(books, filter, { order: "newest first", limit: pageSize, after: position });
    entries.push(...page.events.filter(isBooked));
    yield entries;
    if (page.next === undefined) return;
    after = page.next;
  }
}

function divided(entries: readonly Booked[], head: string, account: BookedAccount): Branches | undefined {
  const byHash = new Map(entries.map((entry) => [entry.receipt.hash, entry]));
  const first = byHash.get(head);
  if (first === undefined && head !== "") return undefined;
  const chain = new Set<Booked>();
  let lowest = 0;
  for (let entry = first; entry !== undefined && !chain.has(entry); entry = byHash.get(entry.receipt.previous)) {
    chain.add(entry);
    lowest = entry.receipt.number;
  }
  // Lower numbers than the oldest entry of the chain may belong to it, because the entries that link them are unknown.
  const orphans = entries.filter((entry) => !chain.has(entry) && entry.receipt.number >= lowest).toSorted(byNumber);
  const off = reduced(account.offset + linkOf(account.head) - linkOf(head));
  const sum = reduced(orphans.reduce((all, { receipt }) => reduced(all + stepOf(receipt)), 0));
  return { head: first?.receipt, orphans, complete: sum === off };
}

function isBooked<Event extends CreditEvent | UsageEvent>(event: Event): event is Event & { receipt: Receipt } {
  return event.receipt !== undefined;
}

function byNumber(left: Booked, right: Booked): number {
  return left.receipt.number - right.receipt.number;
}
