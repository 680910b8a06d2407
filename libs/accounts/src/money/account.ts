import { parseNanos, type CreditEvent, type Nanos } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { moneyScripts } from "../shared-scripts.ts";

/** Maximum amount of one step, a billion dollars, so that sums of many stay within Redis' 64-bit integers. */
export const largestAmount: Nanos = 10n ** 18n;

/** Money of an account. Always: balance = available + held = credited − spent. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Amount that is available for further calls. */
  readonly availableNanos: Nanos;
  /** Amount that is held for calls in progress. */
  readonly heldNanos: Nanos;
  readonly balanceNanos: Nanos;
  readonly creditedNanos: Nanos;
  readonly spentNanos: Nanos;
  readonly createdAt: string;
}

const run = defineScript({
  file: new URL("account.lua", import.meta.url),
  shared: moneyScripts,
  keys: ["account", "credits", "outbox"],
  args: { name: "text", balance: "nanos", createdAt: "text", opening: "text" },
  replies: { created: {}, exists: {} },
});

/** An account to be created, with the credit event of its opening balance. */
export interface AccountOpening {
  readonly id: string;
  readonly name?: string | undefined;
  readonly balance: Nanos;
  /** RFC 3339; absent: now. */
  readonly createdAt?: string | undefined;
}

/** Returns the credit of an opening balance. Throws RangeError if the balance is out of range. */
export function openingOf({ id, balance, createdAt = new Date().toISOString() }: AccountOpening): CreditEvent {
  if (balance < 0n || balance > largestAmount) throw new RangeError("a balance is from zero to a billion dollars");
  return {
    id: `${id}.opening`,
    time: createdAt,
    accountId: id,
    operationId: "opening",
    kind: "opening",
    nanos: balance.toString(),
    reason: "opening balance",
  };
}

/** Creates an account; an existing one is not changed. */
export async function createAccount(redis: Redis, account: AccountOpening): Promise<"created" | "exists"> {
  const { id, name = id, balance, createdAt = new Date().toISOString() } = account;
  const opening = openingOf({ id, balance, createdAt });
  await redis.sadd(accountKeys.accounts, id);
  const { verdict } = await run(
    redis,
    { account: accountKeys.account(id), credits: accountKeys.credits(id), outbox: accountKeys.outbox(shardOf(id)) },
    { name, balance, createdAt, opening: JSON.stringify(opening) },
  );
  return verdict;
}

/** Returns an account with its money; undefined if it does not exist. */
export async function findAccount(redis: Redis, id: string): Promise<Account | undefined> {
  const { available, held, credited, spent, name = id, createdAt = "" } = await redis.hgetall(accountKeys.account(id));
  if (available === undefined || held === undefined) return undefined;
  const [availableNanos, heldNanos] = [parseNanos(available), parseNanos(held)];
  return {
    id,
    name,
    availableNanos,
    heldNanos,
    balanceNanos: availableNanos + heldNanos,
    creditedNanos: parseNanos(credited ?? "0"),
    spentNanos: parseNanos(spent ?? "0"),
    createdAt,
  };
}

/** Returns all account ids, sorted. */
export async function listAccountIds(redis: Redis): Promise<readonly string[]> {
  return (await redis.smembers(accountKeys.accounts)).sort();
}
