import type { CreditEvent, Receipt, UsageEvent } from "@modelgate/contracts";
import { receiptLink, reduceModulo, chainStep } from "../chain.ts";
import type { Books } from "../open.ts";
import { readSecondSettlements } from "../other-receipts.ts";
import { readCalls } from "../read-calls.ts";
import type { CallPosition } from "../read-positions.ts";
import { readCredits } from "../read-receipts.ts";
import type { BookedAccount } from "./account.ts";

/** A settled call or an applied credit, with its receipt. */
export type ChainedEvent = (CreditEvent | UsageEvent) & { readonly receipt: Receipt };

/** Receipts of an account, divided into one chain and those outside it. */
export interface Branches {
  /** Last receipt of the chain; absent if the chain is empty. */
  readonly head?: Receipt | undefined;
  /** Entries that are not in the chain, in the order of their numbers. */
  readonly orphans: readonly ChainedEvent[];
  /** Hash of the receipt before the oldest known one of the chain; "" if that is the account's first receipt. */
  readonly unknown: string;
  /** True if the books contain no receipts other than those of the chain and the orphans. */
  readonly complete: boolean;
}

/** Number of calls per query, and maximum number of calls that are read. */
const [pageSize, maxCalls] = [500, 50_000];

/**
 * Finds the orphans: the entries that are not in the chain that ends at `head`. Reads calls, the newest first, until
 * the orphans found explain the difference between the account's chain sum in the books and the link of `head`
 * (`chainStep`). Returns undefined if `head` is not "" and no entry has this hash.
 */
export async function findBranches(books: Books, account: BookedAccount, head: string): Promise<Branches | undefined> {
  let branches: Branches | undefined;
  for await (const entries of readNewest(books, account)) {
    branches = divideByChain(entries, head, account);
    if (branches?.complete === true) break;
  }
  return branches;
}

/**
 * Finds the chain with the newest end for which the orphans are complete, and the orphans; if there is none, uses the
 * chain of the newest entry. Used if Redis has lost the account.
 */
export async function findNewestChain(books: Books, account: BookedAccount): Promise<Branches> {
  let all: readonly ChainedEvent[] = [];
  for await (const entries of readNewest(books, account)) {
    all = entries;
    const parents = new Set(entries.map(({ receipt }) => receipt.previous));
    const ends = entries.filter(({ receipt }) => !parents.has(receipt.hash));
    const newestFirst = ends.toSorted(byNumber).toReversed();
    // "" is the last candidate: if the account's first receipt is missing, all its entries are outside an empty chain.
    for (const hash of [...newestFirst.map(({ receipt }) => receipt.hash), ""]) {
      const branches = divideByChain(entries, hash, account);
      if (branches?.complete === true) return branches;
    }
  }
  const last = all.toSorted(byNumber).at(-1);
  return (
    (last && divideByChain(all, last.receipt.hash, account)) ?? { orphans: [], unknown: "", complete: all.length === 0 }
  );
}

/**
 * Reads the entries of an account, the newest calls first. Each iteration returns all entries that were read so far.
 */
async function* readNewest(books: Books, { id }: BookedAccount): AsyncGenerator<readonly ChainedEvent[]> {
  const entries: ChainedEvent[] = [
    ...(await readCredits(books, id)),
    ...(await readSecondSettlements(books, id)),
  ].filter(isBooked);
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

function divideByChain(entries: readonly ChainedEvent[], head: string, account: BookedAccount): Branches | undefined {
  const byHash = new Map(entries.map((entry) => [entry.receipt.hash, entry]));
  const first = byHash.get(head);
  if (first === undefined && head !== "") return undefined;
  const chain = new Set<ChainedEvent>();
  let [lowest, unknown] = [0, ""];
  for (let entry = first; entry !== undefined && !chain.has(entry); entry = byHash.get(unknown)) {
    chain.add(entry);
    lowest = entry.receipt.number;
    unknown = entry.receipt.previous;
  }
  // Entries with lower numbers than the oldest one in the chain may belong to the chain, because the entries between
  // are unknown.
  const orphans = entries.filter((entry) => !chain.has(entry) && entry.receipt.number >= lowest).toSorted(byNumber);
  const off = reduceModulo(account.offset + receiptLink(account.head) - receiptLink(head));
  const sum = reduceModulo(orphans.reduce((all, { receipt }) => reduceModulo(all + chainStep(receipt)), 0));
  return { head: first?.receipt, orphans, unknown, complete: sum === off };
}

function isBooked<Event extends CreditEvent | UsageEvent>(event: Event): event is Event & { receipt: Receipt } {
  return event.receipt !== undefined;
}

function byNumber(left: ChainedEvent, right: ChainedEvent): number {
  return left.receipt.number - right.receipt.number;
}
