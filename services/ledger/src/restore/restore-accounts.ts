import {
  applyCredit,
  chargeLost,
  isOfOrganisation,
  publishEntries,
  readBudgets,
  restoreAccount,
  type BudgetState,
  type LostBudgets,
  type OutboxEntry,
} from "@modelgate/accounts";
import {
  readBudgetsOf,
  readCreditsOf,
  findNewestChain,
  readAccountPages,
  writeRestoration,
  type ChainedEvent,
  type BookedAccount,
  type BookedBudgets,
  type Books,
} from "@modelgate/books";
import type { CreditEvent } from "@modelgate/contracts";
import type { Bus, Redis } from "@modelgate/platform";
import { computeAllSpending } from "../accounts/budget-spending.ts";
import { restoreTokens } from "./restore-tokens.ts";

/** Dependencies for restoring accounts. */
export interface RestoreDeps {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly books: Books;
}

/** Spending of organisations' budgets by id. Accounts of an organisation share it. */
type SharedSpending = Map<string, Promise<ReadonlyMap<string, BudgetState>>>;

/** Restores all accounts and API keys to an empty Redis. Returns the number of accounts. */
export async function restoreAllAccounts(deps: RestoreDeps): Promise<number> {
  const shared: SharedSpending = new Map();
  let restored = 0;
  for await (const page of readAccountPages(deps.books)) restored += await restoreAccounts(deps, page, shared);
  return restored;
}

/** Restores accounts that Redis lacks, with their API keys and budgets. Returns their number. */
export async function restoreAccounts(
  deps: RestoreDeps,
  accounts: readonly BookedAccount[],
  shared: SharedSpending = new Map(),
): Promise<number> {
  const { books } = deps;
  const ids = accounts.map(({ id }) => id);
  const credits = Map.groupBy(await readCreditsOf(books, ids), ({ accountId }) => accountId);
  const budgets = new Map((await readBudgetsOf(books, ids)).map((booked) => [booked.account, booked]));
  await restoreTokens(deps, ids);
  const results = await Promise.all(
    accounts.map((account) =>
      restoreOne(deps, account, { credits: credits.get(account.id) ?? [], budgets: budgets.get(account.id), shared }),
    ),
  );
  return results.filter(Boolean).length;
}

async function restoreOne(
  { redis, books }: RestoreDeps,
  account: BookedAccount,
  booked: {
    readonly credits: readonly CreditEvent[];
    readonly budgets: BookedBudgets | undefined;
    readonly shared: SharedSpending;
  },
): Promise<boolean> {
  const { credits, budgets, shared } = booked;
  const head = account.isComplete ? { ...account, ...nothingLost } : await findHeadToRestore(books, account);
  // Credits outside the chain are applied again once the account exists.
  const appliedCredits = credits.filter(
    ({ operationId, receipt }) => receipt !== undefined && !head.lost.has(operationId),
  );
  return restoreAccount(redis, {
    id: account.id,
    name: account.name,
    disabled: account.disabled,
    version: account.version,
    createdAt: account.createdAt === "" ? new Date().toISOString() : account.createdAt,
    balanceNanos: head.balanceNanos,
    creditedNanos: appliedCredits.reduce((sum, { nanos }) => sum + BigInt(nanos), 0n),
    receipts: head.receipts,
    head: head.head,
    credits: appliedCredits,
    budgets: budgets && (await readBudgetsToRestore(books, budgets, head.orphans, shared)),
  });
}

const nothingLost: { readonly lost: ReadonlySet<string>; readonly orphans: readonly ChainedEvent[] } = {
  lost: new Set(),
  orphans: [],
};

/**
 * Returns budgets with their spending in the books, which includes the cost of orphans (entries outside the newest
 * chain). Their receipts are in `counted`, so that charging them again does not add their cost twice.
 */
async function readBudgetsToRestore(
  books: Books,
  { account, version, record }: BookedBudgets,
  orphans: readonly ChainedEvent[],
  shared: SharedSpending,
): Promise<LostBudgets> {
  const budgets = readBudgets(record);
  const ofAccount = budgets.filter((budget) => !isOfOrganisation(budget));
  const states = new Map(await computeAllSpending(books, account, ofAccount));
  for (const budget of budgets.filter(isOfOrganisation)) {
    const reading = shared.get(budget.id) ?? computeAllSpending(books, account, [budget]);
    shared.set(budget.id, reading);
    for (const [id, state] of await reading) states.set(id, state);
  }
  return { version, budgets, states, counted: orphans.map(({ receipt }) => receipt.hash) };
}

async function findHeadToRestore(books: Books, account: BookedAccount) {
  const { head, orphans } = await findNewestChain(books, account);
  return {
    receipts: head?.number ?? 0,
    head: head?.hash ?? "",
    balanceNanos: BigInt(head?.balanceNanos ?? "0"),
    orphans,
    lost: new Set(orphans.flatMap((entry) => ("operationId" in entry ? [entry.operationId] : []))),
  };
}

/** Applies entries to Redis that it has lost, ordered by number, and records the restoration. Returns their number. */
export async function chargeAgain(
  { redis, bus, books }: RestoreDeps,
  account: string,
  orphans: readonly ChainedEvent[],
  reason: string,
): Promise<number> {
  const charged: OutboxEntry[] = [];
  let [calls, nanos] = [0, 0n];
  for (const entry of orphans) {
    if ("operationId" in entry) {
      if ((await applyCredit(redis, entry)) !== "credited") continue;
      nanos += BigInt(entry.nanos);
    } else {
      const { receipt, costNanos, ...draft } = entry;
      const outboxEntry = await chargeLost(redis, { draft, costNanos: BigInt(costNanos), replaces: receipt.hash });
      if (outboxEntry === undefined) continue;
      charged.push(outboxEntry);
      nanos -= BigInt(costNanos);
    }
    calls++;
  }
  if (calls === 0) return 0;
  await writeRestoration(books, { account, time: new Date().toISOString(), reason, calls, nanos: nanos.toString() });
  await publishEntries(redis, bus, charged);
  return calls;
}
