import type { CreditEvent, Nanos } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";

/** State of an account after its latest receipt, with the credits that led to it. */
export interface LostAccount {
  readonly id: string;
  readonly name: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly balanceNanos: Nanos;
  readonly creditedNanos: Nanos;
  readonly receipts: number;
  readonly head: string;
  /** Each with its receipt. */
  readonly credits: readonly CreditEvent[];
}

const run = defineScript({
  file: new URL("restore.lua", import.meta.url),
  keys: ["account"],
  args: {
    name: "text",
    createdAt: "text",
    available: "nanos",
    credited: "nanos",
    spent: "nanos",
    receipts: "number",
    head: "text",
  },
  replies: { restored: {}, exists: {} },
});

/**
 * Restores an account that Redis has lost. Returns false if it exists. The account is written last, so its existence
 * means that it is complete.
 */
export async function restoreAccount(redis: Redis, account: LostAccount): Promise<boolean> {
  const { id, name, createdAt, balanceNanos, creditedNanos, receipts, head, credits } = account;
  await redis.sadd(accountKeys.accounts, id);
  if (credits.length > 0 && (await redis.exists(accountKeys.account(id))) === 0)
    await redis.hset(
      accountKeys.credits(id),
      Object.fromEntries(credits.map((event) => [event.operationId, JSON.stringify(event)])),
    );
  const { verdict } = await run(
    redis,
    { account: accountKeys.account(id) },
    {
      name,
      createdAt,
      available: balanceNanos,
      credited: creditedNanos,
      spent: creditedNanos - balanceNanos,
      receipts,
      head,
    },
  );
  return verdict === "restored";
}

/** Latest receipt of an account in Redis; absent: Redis has no such account. */
export interface KnownHead {
  readonly receipts: number;
  readonly head: string;
}

/** Reads the heads of accounts in Redis, in the order of the ids. */
export function readHeads(redis: Redis, ids: readonly string[]): Promise<readonly (KnownHead | undefined)[]> {
  return Promise.all(
    ids.map(async (id) => {
      const [available, receipts, head] = await redis.hmget(accountKeys.account(id), "available", "receipts", "head");
      return typeof available === "string" ? { receipts: Number(receipts ?? 0), head: head ?? "" } : undefined;
    }),
  );
}
