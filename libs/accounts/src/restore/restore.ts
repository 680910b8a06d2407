import type { CreditEvent, Nanos } from "@modelgate/contracts";
import { defineScript, type Redis } from "@modelgate/platform";
import { stateLines, type BudgetList, type BudgetState } from "../budgets/write-budgets.ts";
import { accountKeys } from "../keys.ts";
import type { AccountState } from "../money/account.ts";
import { budgetScript, moneyScripts } from "../shared-scripts.ts";
import { rememberMs } from "./charge.ts";

/** An account that Redis has lost, in the state of its last receipt. */
export interface LostAccount extends AccountState {
  readonly createdAt: string;
  readonly balanceNanos: Nanos;
  readonly creditedNanos: Nanos;
  readonly receipts: number;
  readonly head: string;
  readonly credits: readonly CreditEvent[];
  /** Absent if the account never had a budget. */
  readonly budgets?: LostBudgets | undefined;
}

export interface LostBudgets extends BudgetList {
  readonly states: ReadonlyMap<string, BudgetState>;
  /**
   * Hashes of the receipts of lost calls whose cost `states` already includes. The cost is not added again when such a
   * call is charged again.
   */
  readonly counted: readonly string[];
}

const restoreScript = defineScript({
  file: new URL("restore.lua", import.meta.url),
  shared: [...moneyScripts, budgetScript],
  keys: ["account", "budgets", "budgetList", "charged"],
  args: {
    name: "text",
    disabled: "flag",
    version: "number",
    createdAt: "text",
    available: "nanos",
    credited: "nanos",
    spent: "nanos",
    receipts: "number",
    head: "text",
    budgetsVersion: "number",
    list: "text",
    states: "text",
    counted: "text",
    rememberMs: "number",
  },
  replies: { restored: {}, exists: {} },
});

/**
 * Restores an account that Redis has lost. Returns false if it exists. The account is written after its credits, and
 * together with its budgets.
 */
export async function restoreAccount(redis: Redis, account: LostAccount): Promise<boolean> {
  const { id, name, createdAt, balanceNanos, creditedNanos, receipts, head, credits, budgets } = account;
  await redis.sadd(accountKeys.accounts, id);
  if (credits.length > 0 && (await redis.exists(accountKeys.account(id))) === 0)
    await redis.hset(
      accountKeys.credits(id),
      Object.fromEntries(credits.map((event) => [event.operationId, JSON.stringify(event)])),
    );
  const { verdict } = await restoreScript(
    redis,
    {
      account: accountKeys.account(id),
      budgets: accountKeys.budgets(id),
      budgetList: accountKeys.budgetList(id),
      charged: accountKeys.charged(id),
    },
    {
      name,
      disabled: account.disabled,
      version: account.version,
      createdAt,
      available: balanceNanos,
      credited: creditedNanos,
      spent: creditedNanos - balanceNanos,
      receipts,
      head,
      budgetsVersion: budgets?.version ?? 0,
      list: JSON.stringify(budgets?.budgets ?? []),
      states: budgets === undefined ? "" : stateLines(budgets.budgets, budgets.states),
      counted: (budgets?.counted ?? []).map((hash) => `${hash}\n`).join(""),
      rememberMs,
    },
  );
  return verdict === "restored";
}

/** Number of receipts of an account in Redis, and the hash of the last one. */
export interface AccountHead {
  readonly receipts: number;
  readonly head: string;
}

/** Reads the heads of accounts in Redis, in the order of the ids; undefined for a missing account. */
export function readHeads(redis: Redis, ids: readonly string[]): Promise<readonly (AccountHead | undefined)[]> {
  return Promise.all(
    ids.map(async (id) => {
      const [available, receipts, head] = await redis.hmget(accountKeys.account(id), "available", "receipts", "head");
      return typeof available === "string" ? { receipts: Number(receipts ?? 0), head: head ?? "" } : undefined;
    }),
  );
}
