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

/** Receipts of an account that are not part of the chain that ends at a head. */
export interface Branches {
  /** The receipt that the chain ends at; absent: it is empty. */
  readonly head?: Receipt | undefined;
  /** Entries that are on no way back from it, in the order of their numbers: Redis has lost them. */
  readonly orphans: readonly Booked[];
  /** True if every receipt in the books was accounted for. */
  readonly complete: boolean;
}

/** Calls that are read at once, and most of them. */
const [pageSize, maxCalls] = [500, 50_000];

/**
 * Finds what is beside the chain that ends at a head: the newest calls are read until the orphans among them make up for
 * what the sum of all links is off by. Undefined where the head itself is not among them (yet).
 */
export async function branchesAt(books: Books, account: BookedAccount, head: string): Promise<Branches | undefined> {
  let branches: Branches | undefined;
  for await (const entries of newestOf(books, account)) {
    branches = divided(entries, head, account);
    if (branches?.complete === true) break;
  }
  return branches;
}

/** Finds the head of the chain that most is known of, and what is beside it: for a Redis that has lost all of it. */
export async function newestChain(books: Books, account: BookedAccount): Promise<Branches> {
  let all: readonly Booked[] = [];
  for await (const entries of newestOf(books, account)) {
    all = entries;
    const parents = new Set(entries.map(({ receipt }) => receipt.previous));
    const ends = entries.filter(({ receipt }) => !parents.has(receipt.hash));
    const newestFirst = ends.toSorted(byNumber).toReversed();
    // The last is of an account whose first receipt is missing: all that is known of it is beside an empty chain.
    for (const hash of [...newestFirst.map(({ receipt }) => receipt.hash), ""]) {
      const branches = divided(entries, hash, account);
      if (branches?.complete === true) return branches;
    }
  }
  const last = all.toSorted(byNumber).at(-1);
  return (last && divided(all, last.receipt.hash, account)) ?? { orphans: [], complete: all.length === 0 };
}

/** The entries of an account so far, newest calls first, a page more each time. */
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
  // Numbers below the oldest that the chain was followed to may belong to it: what links them is not known.
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
