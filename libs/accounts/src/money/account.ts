import { parseNanos, type CreditEvent, type Nanos } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { accountKeys, shardOf } from "../keys.ts";
import { moneyScripts } from "../shared-scripts.ts";

/** Maximum amount of one change: a billion dollars. Sums of many changes stay within Redis' 64-bit integers. */
export const maxAmount: Nanos = 10n ** 18n;

/** An account and its money. Always: balance = available + held = credited − spent. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly availableNanos: Nanos;
  readonly heldNanos: Nanos;
  readonly balanceNanos: Nanos;
  readonly creditedNanos: Nanos;
  readonly spentNanos: Nanos;
  readonly createdAt: string;
  readonly disabled: boolean;
}

const createScript = defineScript({
  file: new URL("account.lua", import.meta.url),
  shared: moneyScripts,
  keys: ["account", "credits", "outbox"],
  args: { name: "text", balance: "nanos", createdAt: "text", opening: "text" },
  replies: { created: {}, exists: {} },
});

const setScript = defineScript({
  file: new URL("set-account.lua", import.meta.url),
  keys: ["account"],
  args: { name: "text", disabled: "flag", version: "number" },
  replies: { set: {}, newer: {}, "no-account": {} },
});

/** Name and state of an account, with the number of their changes. */
export interface AccountState {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly version: number;
}

/** Changes the name and the state of an account. Does nothing if Redis has a later version, or no such account. */
export async function setAccount(redis: Redis, { id, name, disabled, version }: AccountState): Promise<void> {
  await setScript(redis, { account: accountKeys.account(id) }, { name, disabled, version });
}

export interface AccountOpening {
  readonly id: string;
  readonly name?: string | undefined;
  readonly balance: Nanos;
  /** Creation time in RFC 3339; default now. */
  readonly createdAt?: string | undefined;
}

/** Returns the credit event of an opening balance. Throws RangeError if the balance is negative or too large. */
export function makeOpeningCredit({ id, balance, createdAt = new Date().toISOString() }: AccountOpening): CreditEvent {
  if (balance < 0n || balance > maxAmount) throw new RangeError("a balance must be from 0 to 1 billion dollars");
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

/** Creates an account. An existing account is not changed. */
export async function createAccount(redis: Redis, account: AccountOpening): Promise<"created" | "exists"> {
  const { id, name = id, balance, createdAt = new Date().toISOString() } = account;
  const opening = makeOpeningCredit({ id, balance, createdAt });
  await redis.sadd(accountKeys.accounts, id);
  const { verdict } = await createScript(
    redis,
    { account: accountKeys.account(id), credits: accountKeys.credits(id), outbox: accountKeys.outbox(shardOf(id)) },
    { name, balance, createdAt, opening: JSON.stringify(opening) },
  );
  return verdict;
}

/** Reads an account and its money; undefined if Redis does not contain it. */
export async function findAccount(redis: Redis, id: string): Promise<Account | undefined> {
  const fields = await redis.hgetall(accountKeys.account(id));
  const { available, held, credited, spent, name = id, createdAt = "", disabled } = fields;
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
    disabled: disabled !== undefined,
  };
}

/** Returns the sorted ids of all accounts. */
export async function listAccountIds(redis: Redis): Promise<readonly string[]> {
  return (await redis.smembers(accountKeys.accounts)).sort();
}
