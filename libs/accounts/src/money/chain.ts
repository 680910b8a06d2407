import type { ChainEntry } from "./receipt.ts";

/** The first error in an account's chain of receipts. */
export interface Divergence {
  /** Number of the receipt; absent if all receipts are correct and the account differs from them. */
  readonly receipt?: number;
  /** Id of the call or operation, if it is known. */
  readonly entry?: string;
  readonly message: string;
}

/**
 * Maximum receipts that are kept until an earlier one arrives, because events may be logged in another order than they
 * were settled in.
 */
const maxAhead = 200_000;

/**
 * Checks an account's receipts in the order of their numbers, regardless of the order of arrival; stops at the first
 * divergence.
 */
export class ChainWalk {
  readonly #ahead = new Map<number, ChainEntry>();
  readonly #anchored: ReadonlySet<number>;
  readonly #hashes = new Map<number, string>();
  #next: number;
  #last: ChainEntry | undefined;
  #spent = 0n;
  divergence: Divergence | undefined;

  /** `first` is 1, or the oldest receipt that is still stored; the hashes of `anchored` receipts are remembered. */
  constructor(first: number, anchored: ReadonlySet<number>) {
    this.#next = first;
    this.#anchored = anchored;
  }

  /** Returns the hash of an anchored receipt, or of the one before the first; undefined if it is unknown. */
  hashOf(number: number): string | undefined {
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

  /** Sum of the settlements so far. */
  get spentNanos(): bigint {
    return this.#spent;
  }

  /** Adds a receipt. Returns false after a divergence was found. */
  take(entry: ChainEntry): boolean {
    const { number } = entry.receipt;
    if (this.divergence !== undefined) return false;
    const known = number === this.#last?.receipt.number ? this.#last : this.#ahead.get(number);
    if (known !== undefined && known.id !== entry.id)
      return this.#diverge(entry, `has the same number as ${known.id}: one of them was put in`);
    if (number < this.#next) return true;
    this.#ahead.set(number, entry);
    for (let found = this.#ahead.get(this.#next); found !== undefined; found = this.#ahead.get(this.#next)) {
      this.#ahead.delete(this.#next);
      if (!this.#follow(found)) return false;
    }
    return this.#ahead.size < maxAhead;
  }

  #follow(entry: ChainEntry): boolean {
    const { receipt, amountNanos, sound } = entry;
    const before = this.#last?.receipt;
    if (!sound) return this.#diverge(entry, "is not what its hash was made of: it was altered");
    if (before !== undefined || receipt.number === 1) {
      if (receipt.previous !== (before?.hash ?? ""))
        return this.#diverge(entry, "does not carry the hash of the receipt before it");
      const balance = BigInt(before?.balanceNanos ?? "0") + amountNanos;
      if (BigInt(receipt.balanceNanos) !== balance)
        return this.#diverge(
          entry,
          `says a balance of ${receipt.balanceNanos}, where the receipts before make ${balance}`,
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
