import { CreditEvent, stored, type CreditKind, type Nanos } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { moneyScripts } from "../shared-scripts.ts";
import { largestAmount } from "./account.ts";

/** A change of a balance by an operator: a top-up, or a correction in either direction. */
export interface Credit {
  readonly accountId: string;
  readonly nanos: Nanos;
  /** Absent: a top-up if the amount is positive, a correction if it is negative. */
  readonly kind?: Exclude<CreditKind, "opening">;
  readonly reason: string;
  /** Id of the operation; repeating it changes nothing. */
  readonly operationId: string;
}

export type CreditReply = "credited" | "credited-before" | "no-account" | "too-low" | "too-large" | "too-many";

/** Maximum credits of an account; an operator who reaches it creates a new account. */
const maxCredits = 10_000;

const run = defineScript({
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

/** Returns the event of a change of a balance. Throws RangeError if the amount is out of range. */
export function creditEventOf({ accountId, nanos, kind, reason, operationId }: Credit): CreditEvent {
  if (nanos === 0n || nanos > largestAmount || nanos < -largestAmount)
    throw new RangeError("a credit is not zero and at most a billion dollars");
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

/** Changes a balance once. Returns "too-low" if a correction exceeds the available amount. */
export function credit(redis: Redis, wish: Credit): Promise<CreditReply> {
  return applyCredit(redis, creditEventOf(wish));
}

/**
 * Changes a balance by an event, once per operation. An event with a receipt was lost with its Redis: it is applied
 * again, regardless of the available amount.
 */
export async function applyCredit(redis: Redis, { receipt, ...entry }: CreditEvent): Promise<CreditReply> {
  const { accountId, operationId, nanos } = entry;
  const { verdict } = await run(
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
      maxCredits,
      replaces: receipt?.hash,
    },
  );
  return verdict;
}

const readCredit = stored("credit", CreditEvent);

/** Returns a credit that Redis has applied, with its receipt; undefined if it was not applied. Throws UnknownShape. */
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
