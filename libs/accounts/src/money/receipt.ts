import { createHash } from "node:crypto";
import type { CreditEvent, Receipt, UsageEvent } from "@modelgate/contracts";

/** Scripts that move money for good begin with this one. */
export const receiptScript = new URL("receipt.lua", import.meta.url);
/** Scripts that change a balance by an operator's word begin with these. */
export const creditScripts: readonly URL[] = [receiptScript, new URL("record-credit.lua", import.meta.url)];

/** A receipt out of what a script returned: number, previous hash, balance, hash. */
export function receiptOf([number = "", previous = "", balanceNanos = "", hash = ""]: readonly string[]): Receipt {
  return { number: Number(number), previous, balanceNanos, hash };
}

/** A change of an account's balance with its receipt, as the chain has it. */
export interface ChainEntry {
  readonly kind: "settlement" | "credit";
  /** Of the call or of the operation. */
  readonly id: string;
  readonly time: string;
  /** Nano-dollars, below zero where money was taken. */
  readonly amountNanos: bigint;
  readonly receipt: Receipt;
  /** Whether the receipt's hash is that of what stands beside it. */
  readonly sound: boolean;
}

/** A settlement as a link of its account's chain; undefined where its event carries no receipt. */
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

/** A credit as a link of its account's chain; undefined where it carries no receipt. */
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

/** What receipt.lua makes of the same: JSON keeps the order of an entry's members, so the text is the same again. */
function hashOf({ previous, number, balanceNanos }: Receipt, amount: bigint, entry: object): string {
  return createHash("sha1")
    .update([previous, number, amount, balanceNanos, JSON.stringify(entry)].join("\n"))
    .digest("hex");
}
