import type { Nanos } from "@modelgate/contracts";
import { defineScript, replyList, type Redis } from "@modelgate/platform";
import { keys } from "../keys.ts";
import { largestAmount } from "./bounds.ts";

/** A change of a balance by an operator: a top-up, or a correction in either direction. */
export interface Credit {
  readonly accountId: string;
  readonly nanos: Nanos;
  readonly reason: string;
  /** Repeating an operation with the same id changes nothing. */
  readonly operationId: string;
}

export type CreditReply = "credited" | "credited-before" | "no-account" | "too-low" | "too-large" | "too-many";
const replies: readonly CreditReply[] = [
  "credited",
  "credited-before",
  "no-account",
  "too-low",
  "too-large",
  "too-many",
];

/** A credit as the account remembers it. */
export interface CreditEntry {
  readonly operationId: string;
  readonly time: string;
  readonly nanos: string;
  readonly reason: string;
}

/** Most credits that an account remembers; an operator who reaches it opens a new account. */
const mostCredits = 10_000;

const run = defineScript(new URL("credit.lua", import.meta.url), replyList);

/** Changes a balance once; "too-low" where a correction would take more than is available. */
export async function credit(redis: Redis, { accountId, nanos, reason, operationId }: Credit): Promise<CreditReply> {
  if (nanos === 0n || nanos > largestAmount || nanos < -largestAmount)
    throw new RangeError("a credit is not zero and at most a billion dollars");
  const entry: CreditEntry = { operationId, time: new Date().toISOString(), nanos: nanos.toString(), reason };
  const [verdict] = await run(
    redis,
    [keys.account(accountId), keys.credits(accountId)],
    [operationId, nanos.toString(), JSON.stringify(entry), mostCredits],
  );
  const reply = replies.find((known) => known === verdict);
  if (reply === undefined) throw new Error(`credit: ${verdict ?? "no answer"}`);
  return reply;
}

/** The credits of an account, newest first. */
export async function listCredits(redis: Redis, accountId: string): Promise<readonly CreditEntry[]> {
  const entries = (await redis.hvals(keys.credits(accountId))).map((text): CreditEntry => JSON.parse(text));
  return entries.sort((left, right) => right.time.localeCompare(left.time));
}
