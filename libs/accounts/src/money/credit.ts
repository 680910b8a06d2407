import { CreditEvent, recordParser, type CreditKind, type Nanos } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { moneyScripts } from "../shared-scripts.ts";
import { maxAmount } from "./account.ts";

/** A change of a balance by an operator: a top-up, or a correction in either direction. */
export interface Credit {
  readonly accountId: string;
  readonly nanos: Nanos;
  /** Default: "top-up" for a positive amount, "correction" for a negative one. */
  readonly kind?: Exclude<CreditKind, "opening">;
  readonly reason: string;
  /** A repeated operation has no effect. */
  readonly operationId: string;
}

export type CreditReply = "credited" | "credited-before" | "no-account" | "too-low" | "too-large" | "too-many";

/** Maximum number of stored credits of an account. Corrections are always possible. */
const maxCredits = 100_000;

const creditScript = defineScript({
  file: new URL("credit.lua", import.meta.url),
  shared: moneyScripts,
  keys: ["account", "credits", "outbox"],
  args: { operation: "text", nanos: "nanos", entry: "text", maxCredits: "number", replaces: "text?" },
  replies: {
    credited: {},
    "credited-before": {},
    "no-account": {},
    "too-low": {},
    "too-large": {},
    "too-many": {},
  } satisfies Record<CreditReply, object>,
});

/** Creates the event of a change of a balance. Throws RangeError if the amount is zero or too large. */
export function makeCreditEvent({ accountId, nanos, kind, reason, operationId }: Credit): CreditEvent {
  if (nanos === 0n || nanos > maxAmount || nanos < -maxAmount)
    throw new RangeError("a credit must not be zero or more than 1 billion dollars");
  return {
    id: `${accountId}.${encodeURIComponent(operationId)}`,
    time: new Date().toISOString(),
    accountId,
    operationId,
    kind: kind ?? (nanos > 0n ? "top-up" : "correction"),
    nanos: nanos.toString(),
    reason,
  };
}

/** Changes a balance, once per operation. Returns "too-low" if a correction exceeds the available amount. */
export function credit(redis: Redis, request: Credit): Promise<CreditReply> {
  return applyCredit(redis, makeCreditEvent(request));
}

/**
 * Applies a credit event to a balance, once per operation. An event with a receipt restores a change that Redis lost,
 * even if the available amount becomes negative.
 */
export async function applyCredit(redis: Redis, { receipt, ...entry }: CreditEvent): Promise<CreditReply> {
  const { accountId, operationId, nanos, kind } = entry;
  const { verdict } = await creditScript(
    redis,
    {
      account: accountKeys.account(accountId),
      credits: accountKeys.credits(accountId),
      outbox: accountKeys.outbox(shardOf(accountId)),
    },
    {
      operation: operationId,
      nanos: BigInt(nanos),
      entry: JSON.stringify(entry),
      maxCredits: kind === "correction" ? Number.MAX_SAFE_INTEGER : maxCredits,
      replaces: receipt?.hash,
    },
  );
  return verdict;
}

const readCredit = recordParser("credit", CreditEvent);

/** Returns a credit that Redis has applied, with its receipt. Throws UnknownShape. */
export async function findCredit(
  redis: Redis,
  { accountId, operationId }: Pick<CreditEvent, "accountId" | "operationId">,
): Promise<CreditEvent | undefined> {
  const text = await redis.hget(accountKeys.credits(accountId), operationId);
  return text === null ? undefined : readCredit(text);
}

/** Lists the credits of an account, newest first. Throws UnknownShape. */
export async function listCredits(redis: Redis, accountId: string): Promise<readonly CreditEvent[]> {
  const entries = (await redis.hvals(accountKeys.credits(accountId))).map((text) => readCredit(text));
  return entries.sort((left, right) => right.time.localeCompare(left.time));
}
