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

/** Receipts of an account, divided into a chain and the others. */
export interface Branches {
  /** Last receipt of the chain. */
  readonly head?: Receipt | undefined;
  /** Entries outside the chain, ordered by number. */
  readonly orphans: readonly ChainedEvent[];
  /** Hash of the receipt before the oldest one that was read; "" for the first receipt of the account. */
  readonly hashBefore: string;
  /** True if all receipts in the books are in the chain or among the orphans. */
  readonly isComplete: boolean;
}

const [pageSize, maxCalls] = [500, 50_000];

/**
 * Finds the entries outside the chain that ends at `head`. Reads calls, newest first, until the chain and the orphans
 * are all receipts in the books. Returns undefined if no entry has the hash `head`.
 */
export async function findBranches(books: Books, account: BookedAccount, head: string): Promise<Branches | undefined> {
  let branches: Branches | undefined;
  for await (const entries of readNewest(books, account)) {
    branches = divideByChain(entries, head, account);
    if (branches?.isComplete === true) break;
  }
  return branches;
}

/**
 * Finds the newest chain that is complete together with its orphans, or else the chain of the newest entry. Used if
 * Redis has lost the account.
 */
export async function findNewestChain(books: Books, account: BookedAccount): Promise<Branches> {
  let all: readonly ChainedEvent[] = [];
  for await (const entries of readNewest(books, account)) {
    all = entries;
    const parents = new Set(entries.map(({ receipt }) => receipt.previous));
    const ends = entries.filter(({ receipt }) => !parents.has(receipt.hash));
    const newestFirst = ends.toSorted(byNumber).toReversed();
    // "" means an empty chain: if the first receipt is missing, all entries are outside the chain.
    for (const hash of [...newestFirst.map(({ receipt }) => receipt.hash), ""]) {
      const branches = divideByChain(entries, hash, account);
      if (branches?.isComplete === true) return branches;
    }
  }
  const last = all.toSorted(byNumber).at(-1);
  return (
    (last && divideByChain(all, last.receipt.hash, account)) ?? {
      orphans: [],
      hashBefore: "",
      isComplete: all.length === 0,
    }
  );
}

/** Reads the entries of an account. Each iteration returns all entries read until then. */
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
  let [lowest, hashBefore] = [0, ""];
  for (let entry = first; entry !== undefined && !chain.has(entry); entry = byHash.get(hashBefore)) {
    chain.add(entry);
    lowest = entry.receipt.number;
    hashBefore = entry.receipt.previous;
  }
  // An entry before the chain's oldest entry may belong to the chain, because the entries between them are not read
  // yet.
  const orphans = entries.filter((entry) => !chain.has(entry) && entry.receipt.number >= lowest).toSorted(byNumber);
  const missingSum = reduceModulo(account.offset + receiptLink(account.head) - receiptLink(head));
  const sum = reduceModulo(orphans.reduce((all, { receipt }) => reduceModulo(all + chainStep(receipt)), 0));
  return { head: first?.receipt, orphans, hashBefore, isComplete: sum === missingSum };
}

function isBooked<Event extends CreditEvent | UsageEvent>(event: Event): event is Event & { receipt: Receipt } {
  return event.receipt !== undefined;
}

function byNumber(left: ChainedEvent, right: ChainedEvent): number {
  return left.receipt.number - right.receipt.number;
}
