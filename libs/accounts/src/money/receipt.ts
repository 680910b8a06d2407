import { createHash } from "node:crypto";
import type { Values } from "@modelgate/platform";
import type { CreditEvent, Receipt, UsageEvent } from "@modelgate/contracts";

/** Values of a receipt in a script's reply. */
export const receiptKinds = { number: "number", previous: "text", balance: "text", hash: "text" } as const;

/** Builds a receipt from a script's reply. */
export function receiptOf({ number, previous, balance, hash }: Values<typeof receiptKinds>): Receipt {
  return { number, previous, balanceNanos: balance, hash };
}

/** An entry of an account's chain: a change of its balance with the receipt. */
export interface ChainEntry {
  readonly kind: "settlement" | "credit";
  /** Id of the call or operation. */
  readonly id: string;
  readonly time: string;
  /** Nano-dollars; negative if money was taken. */
  readonly amountNanos: bigint;
  readonly receipt: Receipt;
  /** True if the receipt's hash matches its entry. */
  readonly sound: boolean;
}

/** Returns a settlement as an entry of its account's chain; undefined if its event has no receipt. */
export function settlementLink({ receipt, costNanos, ...draft }: UsageEvent): ChainEntry | undefined {
  if (receipt === undefined) return undefined;
  const amountNanos = -BigInt(costNanos);
  return {
    kind: "settlement",
    id: draft.id,
    time: draft.time,
    amountNanos,
    receipt,
    sound: hashOf(receipt, amountNanos, draft) === receipt.hash,
  };
}

/** Returns a credit as an entry of its account's chain; undefined if it has no receipt. */
export function creditLink({ receipt, ...entry }: CreditEvent): ChainEntry | undefined {
  if (receipt === undefined) return undefined;
  const amountNanos = BigInt(entry.nanos);
  return {
    kind: "credit",
    id: entry.operationId,
    time: entry.time,
    amountNanos,
    receipt,
    sound: hashOf(receipt, amountNanos, entry) === receipt.hash,
  };
}

/**
 * Computes the hash that account-state.lua writes to a receipt. JSON preserves the order of an entry's members, so the
 * text is identical.
 */
function hashOf({ previous, number, balanceNanos }: Receipt, amount: bigint, entry: object): string {
  return createHash("sha1")
    .update([previous, number, amount, balanceNanos, JSON.stringify(entry)].join("\n"))
    .digest("hex");
}
