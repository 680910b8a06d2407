import { BoundedMap, type Redis } from "@modelgate/platform";
import { accountKeys } from "../keys.ts";
import { readBudgets, type Budget } from "./budget.ts";

/** The budgets of an account, and the version of their list. */
export interface AccountBudgets {
  /** Number of changes of the list as decimal text; "" if the account never had a budget. */
  readonly version: string;
  readonly budgets: readonly Budget[];
}

const maxAttempts = 4;

const none: AccountBudgets = { version: "", budgets: [] };
const caches = new WeakMap<Redis, BoundedMap<AccountBudgets>>();

/**
 * Runs a script with the current budgets of an account. `step` is called again if the cached list of budgets is
 * outdated. Throws if the list keeps changing.
 */
export async function withBudgets<Reply extends StepReply>(
  redis: Redis,
  accountId: string,
  step: (current: AccountBudgets) => Promise<Reply>,
): Promise<CurrentReply<Reply>> {
  let current = caches.get(redis)?.get(accountId) ?? none;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const reply = await step(current);
    if (isCurrent(reply)) return reply;
    const { version = "", list = "" } = reply;
    current = { version, budgets: list === "" ? [] : readBudgets(list) };
    remember(redis, accountId, current);
  }
  throw new Error(`the budgets of ${accountId} are changing too often`);
}

/** Reply of a step. "other-budgets" has the current version of the account's budgets and their JSON. */
interface StepReply {
  readonly verdict: string;
  readonly version?: string;
  readonly list?: string;
}

/** Reply of a step that ran with the current budgets. */
export type CurrentReply<Reply> = Exclude<Reply, { readonly verdict: "other-budgets" }>;

function isCurrent<Reply extends StepReply>(reply: Reply): reply is CurrentReply<Reply> {
  return reply.verdict !== "other-budgets";
}

function remember(redis: Redis, accountId: string, current: AccountBudgets): void {
  const accounts = caches.get(redis) ?? new BoundedMap<AccountBudgets>();
  caches.set(redis, accounts);
  accounts.set(accountId, current);
}

/** Reads the current budgets of an account, without the cache. */
export async function findBudgets(redis: Redis, accountId: string): Promise<readonly Budget[]> {
  const list = await redis.get(accountKeys.budgetList(accountId));
  return list === null ? [] : readBudgets(list);
}
