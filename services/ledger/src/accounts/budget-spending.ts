import { periodAt, periodWith, type Budget, type BudgetState, type Token } from "@modelgate/accounts";
import { readTokensOf, readTotals, type Books, type TotalsQuery } from "@modelgate/books";
import { shownToken } from "./project.ts";

const dayMs = 24 * 60 * 60_000;
/** Maximum earlier periods from which unspent money is computed. */
const maxEarlier = 12;

/** Computes the spending of budgets from the calls in the books. Returns it by the ids of the budgets. */
export async function spendingOfAll(
  books: Books,
  account: string,
  budgets: readonly Budget[],
): Promise<ReadonlyMap<string, BudgetState>> {
  const states = new Map<string, BudgetState>();
  for (const budget of budgets) states.set(budget.id, await spendingOf(books, account, budget, Date.now()));
  return states;
}

/**
 * Computes the spending of a budget in its current period from the calls in the books. If unspent money rolls over, it
 * also computes what is left of the previous period. A budget with the period `total` counts the calls since its
 * creation.
 */
async function spendingOf(books: Books, account: string, budget: Budget, nowMs: number): Promise<BudgetState> {
  const { period, zone = "UTC", rolloverNanos } = budget;
  const createdMs = Date.parse(budget.createdAt);
  const current = periodAt(period, zone, nowMs);
  const calls = await callsOf(books, account, budget.scope);
  // The end is at most the end of today (UTC): ranges of complete UTC days are read from the daily totals.
  const endOfToday = Math.ceil((nowMs + 1) / dayMs) * dayMs;
  const spentIn = (startMs: number, endMs: number) => sumOf(books, calls, startMs, Math.min(endMs, endOfToday));
  const spentNanos = await spentIn(period === "total" ? createdMs : current.startMs, current.endMs);
  if (rolloverNanos === undefined || period === "total" || createdMs >= current.startMs)
    return { period: current.number, spentNanos };
  const first = Math.max(periodAt(period, zone, createdMs).number, current.number - maxEarlier);
  let [carried, leftBefore] = [0n, 0n];
  for (let number = first; number < current.number; number++) {
    const { startMs, endMs } = periodWith(period, zone, number);
    leftBefore = BigInt(budget.nanos) + carried - (await spentIn(startMs, endMs));
    const unspent = leftBefore < 0n ? 0n : leftBefore;
    carried = unspent < BigInt(rolloverNanos) ? unspent : BigInt(rolloverNanos);
  }
  return { period: current.number, spentNanos, leftBefore };
}

/** Calls that count in a budget: calls that match `filter` and were made with one of `keys`. Absent keys: any key. */
interface CallsOfBudget {
  readonly filter: Pick<TotalsQuery, "account" | "labels" | "model" | "organisation">;
  readonly keys?: ReadonlySet<string>;
}

/**
 * Kinds of scopes that count the calls of certain API keys. Each function returns true if a key belongs to the scope.
 */
const keyScopes: Readonly<Record<string, (token: Token, value: string) => boolean>> = {
  key: ({ id, within }, value) => id === value || within?.id === value,
  group: ({ group }, value) => group === value,
  team: ({ team }, value) => team === value,
  member: ({ member }, value) => member === value,
};

/**
 * Returns the calls of a scope. The scope of a group counts all calls of the keys that are in the group now, that of an
 * organisation all calls of the accounts that belong to it now.
 */
async function callsOf(books: Books, account: string, scope: string): Promise<CallsOfBudget> {
  const [kind = "", ...rest] = scope.split(":");
  const value = rest.join(":");
  if (kind === "organisation") return { filter: { organisation: value } };
  if (kind === "model") return { filter: { account, model: value } };
  if (kind === "end-user") return { filter: { account, labels: [{ name: "endUser", value }] } };
  if (kind === "tag") {
    const name = value.slice(0, value.indexOf("="));
    return { filter: { account, labels: [{ name: `tag:${name}`, value: value.slice(name.length + 1) }] } };
  }
  const counts = keyScopes[kind];
  if (counts === undefined) return { filter: { account } };
  const tokens = await readTokensOf(books, [account]);
  const counted = tokens.map(shownToken).filter((token) => counts(token, value));
  return { filter: { account }, keys: new Set(counted.map(({ id }) => id)) };
}

async function sumOf(books: Books, { filter, keys }: CallsOfBudget, from: number, to: number): Promise<bigint> {
  if (from >= to) return 0n;
  const totals = await readTotals(books, { ...filter, from, to, groupBy: ["token"], sums: ["cost"] });
  return totals
    .filter(({ by }) => keys === undefined || keys.has(by.token ?? ""))
    .reduce((sum, { sums }) => sum + BigInt(sums["costNanos"] ?? "0"), 0n);
}
