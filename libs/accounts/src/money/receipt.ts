import { createHash } from "node:crypto";
import type { Values } from "@modelgate/platform";
import type { CreditEvent, Receipt, UsageEvent } from "@modelgate/contracts";

/** Kinds of the values of a receipt in a script's reply. */
export const receiptKinds = { number: "number", previous: "text", balance: "text", hash: "text" } as const;

/** Builds a receipt from a script's reply. */
export function parseReceipt({ number, previous, balance, hash }: Values<typeof receiptKinds>): Receipt {
  return { number, previous, balanceNanos: balance, hash };
}

/** An entry of an account's chain: a change of its balance, with its receipt. */
export interface ChainEntry {
  readonly kind: "settlement" | "credit";
  /** Id of the call (settlement) or operation (credit). */
  readonly id: string;
  readonly time: string;
  /** Change of the balance in nano-dollars; negative for a settlement or a deduction. */
  readonly amountNanos: bigint;
  readonly receipt: Receipt;
  /** True if the receipt's hash matches its entry. */
  readonly hashMatches: boolean;
}

/** Converts a usage event to an entry of its account's chain; undefined if the event has no receipt. */
export function settlementEntry({ receipt, costNanos, ...draft }: UsageEvent): ChainEntry | undefined {
  if (receipt === undefined) return undefined;
  const amountNanos = -BigInt(costNanos);
  return {
    kind: "settlement",
    id: draft.id,
    time: draft.time,
    amountNanos,
    receipt,
    hashMatches: hashOf(receipt, amountNanos, draft) === receipt.hash,
  };
}

/** Converts a credit event to an entry of its account's chain; undefined if the event has no receipt. */
export function creditEntry({ receipt, ...entry }: CreditEvent): ChainEntry | undefined {
  if (receipt === undefined) return undefined;
  const amountNanos = BigInt(entry.nanos);
  return {
    kind: "credit",
    id: entry.operationId,
    time: entry.time,
    amountNanos,
    receipt,
    hashMatches: hashOf(receipt, amountNanos, entry) === receipt.hash,
  };
}

/**
 * Computes the hash of a receipt as account-state.lua does. JSON preserves the order of members, so an event that was
 * parsed is rendered as the same text.
 */
function hashOf({ previous, number, balanceNanos }: Receipt, amount: bigint, entry: object): string {
  return createHash("sha1")
    .update([previous, number, amount, balanceNanos, JSON.stringify(entry)].join("\n"))
    .digest("hex");
}
