import { createHash } from "node:crypto";
import type { CreditEvent, Receipt, UsageEvent } from "@modelgate/contracts";

/** An entry of an account's chain: a change of its balance, with its receipt. */
export interface ChainEntry {
  readonly kind: "settlement" | "credit";
  readonly id: string;
  readonly time: string;
  /** Change of the balance in nano-dollars; negative for a settlement or a deduction. */
  readonly amountNanos: bigint;
  readonly receipt: Receipt;
  /** True if the receipt's hash is correct. */
  readonly hasCorrectHash: boolean;
}

/** Converts a usage event to an entry of its account's chain; undefined without a receipt. */
export function settlementEntry({ receipt, costNanos, ...draft }: UsageEvent): ChainEntry | undefined {
  if (receipt === undefined) return undefined;
  const amountNanos = -BigInt(costNanos);
  return {
    kind: "settlement",
    id: draft.id,
    time: draft.time,
    amountNanos,
    receipt,
    hasCorrectHash: hashOf(receipt, amountNanos, draft) === receipt.hash,
  };
}

/** Converts a credit event to an entry of its account's chain; undefined without a receipt. */
export function creditEntry({ receipt, ...entry }: CreditEvent): ChainEntry | undefined {
  if (receipt === undefined) return undefined;
  const amountNanos = BigInt(entry.nanos);
  return {
    kind: "credit",
    id: entry.operationId,
    time: entry.time,
    amountNanos,
    receipt,
    hasCorrectHash: hashOf(receipt, amountNanos, entry) === receipt.hash,
  };
}

/**
 * Computes the hash of a receipt as account-state.lua does. JSON preserves the order of members, so the parsed entry is
 * rendered as the same text.
 */
function hashOf({ previous, number, balanceNanos }: Receipt, amount: bigint, entry: object): string {
  return createHash("sha1")
    .update([previous, number, amount, balanceNanos, JSON.stringify(entry)].join("\n"))
    .digest("hex");
}

/** The first error in an account's chain of receipts. */
export interface Divergence {
  /** Number of the wrong receipt; absent if only the account's amounts are wrong. */
  readonly receipt?: number;
  readonly entry?: string;
  readonly message: string;
}

/**
 * Maximum number of receipts in memory that wait for an earlier one. The books may receive events in another order than
 * that of their settlements.
 */
const maxOutOfOrder = 200_000;

/**
 * Checks an account's receipts in the order of their numbers; they may arrive in any order. Stops at the first
 * divergence.
 */
export class ReceiptChainCheck {
  readonly #ahead = new Map<number, ChainEntry>();
  readonly #anchored: ReadonlySet<number>;
  readonly #hashes = new Map<number, string>();
  #next: number;
  #last: ChainEntry | undefined;
  #spent = 0n;
  divergence: Divergence | undefined;

  /**
   * `first` is 1, or the number of the oldest stored receipt. `anchored` has the numbers of the receipts whose hashes
   * `anchoredHash` returns.
   */
  constructor(first: number, anchored: ReadonlySet<number>) {
    this.#next = first;
    this.#anchored = anchored;
  }

  /**
   * Returns the hash of an anchored receipt; undefined if it was not checked. The receipt may also be the one directly
   * before the first.
   */
  anchoredHash(number: number): string | undefined {
    return this.#hashes.get(number);
  }

  /** Number of the next receipt to check. */
  get next(): number {
    return this.#next;
  }

  /** Last receipt that was found correct. */
  get last(): ChainEntry | undefined {
    return this.#last;
  }

  /** Sum of the settlements that were checked. */
  get spentNanos(): bigint {
    return this.#spent;
  }

  /** Adds a receipt. Returns false after a divergence, or if too many receipts wait. */
  add(entry: ChainEntry): boolean {
    const { number } = entry.receipt;
    if (this.divergence !== undefined) return false;
    const other = number === this.#last?.receipt.number ? this.#last : this.#ahead.get(number);
    if (other !== undefined && other.id !== entry.id)
      return this.#diverge(entry, `has the same number as ${other.id}: one of them was inserted`);
    if (number < this.#next) return true;
    this.#ahead.set(number, entry);
    for (let next = this.#ahead.get(this.#next); next !== undefined; next = this.#ahead.get(this.#next)) {
      this.#ahead.delete(this.#next);
      if (!this.#follow(next)) return false;
    }
    return this.#ahead.size < maxOutOfOrder;
  }

  #follow(entry: ChainEntry): boolean {
    const { receipt, amountNanos, hasCorrectHash } = entry;
    const before = this.#last?.receipt;
    if (!hasCorrectHash) return this.#diverge(entry, "does not match its hash: it was altered");
    if (before !== undefined || receipt.number === 1) {
      if (receipt.previous !== (before?.hash ?? ""))
        return this.#diverge(entry, "does not have the hash of the receipt before it");
      const balance = BigInt(before?.balanceNanos ?? "0") + amountNanos;
      if (BigInt(receipt.balanceNanos) !== balance)
        return this.#diverge(
          entry,
          `has a balance of ${receipt.balanceNanos}, but the earlier receipts add up to ${balance}`,
        );
    }
    for (const [at, hash] of [
      [receipt.number - 1, receipt.previous],
      [receipt.number, receipt.hash],
    ] as const)
      if (this.#anchored.has(at)) this.#hashes.set(at, hash);
    if (amountNanos <= 0n && entry.kind === "settlement") this.#spent -= amountNanos;
    this.#last = entry;
    this.#next++;
    return true;
  }

  #diverge({ id, receipt }: ChainEntry, message: string): false {
    this.divergence = { receipt: receipt.number, entry: id, message };
    return false;
  }
}
