import { periodAt, periodWith, type Budget, type BudgetState, type Token } from "@modelgate/accounts";
import { readTokensOf, readTotals, type Books, type TotalsQuery, type UsageTotal } from "@modelgate/books";
import { publicTokenOf } from "./write-to-redis.ts";

const dayMs = 24 * 60 * 60_000;
/** Maximum number of earlier periods whose unspent money rolls over, as in budgets.lua. */
const maxEarlierPeriods = 400;
/** Number of days that one query sums. */
const daysPerQuery = 31;

/** Computes the spending of budgets in their current periods. Returns it by budget id. */
export async function computeAllSpending(
  books: Books,
  account: string,
  budgets: readonly Budget[],
): Promise<ReadonlyMap<string, BudgetState>> {
  const states = new Map<string, BudgetState>();
  const queries = cachedAccountQueries(books, account);
  for (const budget of budgets) states.set(budget.id, await computeSpending(queries, budget, Date.now()));
  return states;
}

/** Cached queries about one account, which its budgets share. */
export interface AccountQueries {
  readonly account: string;
  readonly tokens: () => Promise<readonly Token[]>;
  readonly totals: (query: TotalsQuery) => Promise<readonly UsageTotal[]>;
}

/** Creates cached queries for one computation of several budgets. */
export function cachedAccountQueries(books: Books, account: string): AccountQueries {
  let tokens: Promise<readonly Token[]> | undefined;
  const totals = new Map<string, Promise<readonly UsageTotal[]>>();
  return {
    account,
    tokens: () => (tokens ??= readTokensOf(books, [account]).then((booked) => booked.map(publicTokenOf))),
    totals(query) {
      const key = JSON.stringify(query);
      const pendingTotals = totals.get(key) ?? readTotals(books, query);
      totals.set(key, pendingTotals);
      return pendingTotals;
    },
  };
}

/**
 * Computes the spending of a budget in the period that contains `nowMs`, and the unspent money of the previous period
 * if it rolls over. A budget with the period `total` includes all calls since its creation.
 */
export async function computeSpending(queries: AccountQueries, budget: Budget, nowMs: number): Promise<BudgetState> {
  const { period, zone = "UTC", rolloverNanos } = budget;
  const createdMs = Date.parse(budget.createdAt);
  const current = periodAt(period, zone, nowMs);
  const calls = await filterOfScope(queries, budget.scope);
  // The sum ends with a whole UTC day, so that today is also read from the daily totals.
  const endOfToday = startOfDay(nowMs) + dayMs;
  const spentIn = (startMs: number, endMs: number) => sumOf(queries, calls, startMs, Math.min(endMs, endOfToday));
  const spentNanos = await spentIn(period === "total" ? createdMs : current.startMs, current.endMs);
  if (rolloverNanos === undefined || period === "total" || createdMs >= current.startMs)
    return { period: current.number, spentNanos };
  const first = Math.max(periodAt(period, zone, createdMs).number, current.number - maxEarlierPeriods);
  const daily = await spentByDay(queries, calls, periodWith(period, zone, first).startMs, current.startMs);
  let [carried, leftBefore] = [0n, 0n];
  for (let number = first; number < current.number; number++) {
    const { startMs, endMs } = periodWith(period, zone, number);
    const days = sumDays(daily, startMs, endMs);
    // In most time zones, a period begins and ends within UTC days.
    const spent = days === 0n || (startMs % dayMs === 0 && endMs % dayMs === 0) ? days : await spentIn(startMs, endMs);
    leftBefore = BigInt(budget.nanos) + carried - spent;
    carried = rolloverAmount(budget, leftBefore);
  }
  return { period: current.number, spentNanos, leftBefore };
}

/** Returns the amount that rolls over to the next period. */
export function rolloverAmount({ rolloverNanos = "0" }: Budget, remainingNanos: bigint): bigint {
  const [unspent, maximum] = [remainingNanos < 0n ? 0n : remainingNanos, BigInt(rolloverNanos)];
  return unspent < maximum ? unspent : maximum;
}

/** Filter for the calls of a budget. Absent `keys` mean all keys. */
interface BudgetCallFilter {
  readonly filter: Pick<TotalsQuery, "account" | "labels" | "model" | "organisation">;
  readonly keys?: ReadonlySet<string>;
}

/**
 * Kinds of scopes that select calls by their API key. Each function returns whether a key belongs to the scope with this
 * value.
 */
const keyScopes: Readonly<Record<string, (token: Token, value: string) => boolean>> = {
  key: ({ id, within }, value) => id === value || within?.id === value,
  group: ({ group }, value) => group === value,
  team: ({ team }, value) => team === value,
  member: ({ member }, value) => member === value,
};

/**
 * Returns the filter for the calls of a scope. The keys of a group, team or member are those that belong to it now. The
 * accounts of an organisation are its present ones.
 */
async function filterOfScope({ account, tokens }: AccountQueries, scope: string): Promise<BudgetCallFilter> {
  const [kind = "", ...rest] = scope.split(":");
  const value = rest.join(":");
  if (kind === "organisation") return { filter: { organisation: value } };
  if (kind === "model") return { filter: { account, model: value } };
  if (kind === "end-user") return { filter: { account, labels: [{ name: "endUser", value }] } };
  if (kind === "tag") {
    const name = value.slice(0, value.indexOf("="));
    return { filter: { account, labels: [{ name: `tag:${name}`, value: value.slice(name.length + 1) }] } };
  }
  const includesKey = Object.hasOwn(keyScopes, kind) ? keyScopes[kind] : undefined;
  if (includesKey === undefined) return { filter: { account } };
  const included = (await tokens()).filter((token) => includesKey(token, value));
  return { filter: { account }, keys: new Set(included.map(({ id }) => id)) };
}

async function sumOf(queries: AccountQueries, calls: BudgetCallFilter, from: number, to: number): Promise<bigint> {
  if (from >= to) return 0n;
  const totals = await readCosts(queries, calls, { from, to, groupBy: ["token"] });
  return totals.reduce((sum, { nanos }) => sum + nanos, 0n);
}

/** Reads the spending of each UTC day that overlaps a span, by the start of the day. Days without calls are absent. */
async function spentByDay(
  queries: AccountQueries,
  calls: BudgetCallFilter,
  from: number,
  to: number,
): Promise<ReadonlyMap<number, bigint>> {
  const daily = new Map<number, bigint>();
  for (let start = startOfDay(from); start < to; start += daysPerQuery * dayMs) {
    const end = Math.min(start + daysPerQuery * dayMs, startOfDay(to - 1) + dayMs);
    for (const { day, nanos } of await readCosts(queries, calls, { from: start, to: end, groupBy: ["token", "day"] }))
      daily.set(day, (daily.get(day) ?? 0n) + nanos);
  }
  return daily;
}

/** Returns the spending of all UTC days that overlap a span. */
function sumDays(daily: ReadonlyMap<number, bigint>, from: number, to: number): bigint {
  let sum = 0n;
  for (let day = startOfDay(from); day < to; day += dayMs) sum += daily.get(day) ?? 0n;
  return sum;
}

function startOfDay(atMs: number): number {
  return Math.floor(atMs / dayMs) * dayMs;
}

async function readCosts(
  queries: AccountQueries,
  { filter, keys }: BudgetCallFilter,
  span: Pick<TotalsQuery, "from" | "groupBy" | "to">,
): Promise<readonly { readonly day: number; readonly nanos: bigint }[]> {
  const totals = await queries.totals({ ...filter, ...span, sums: ["cost"] });
  return totals
    .filter(({ by }) => keys === undefined || keys.has(by.token ?? ""))
    .map(({ by, sums }) => ({ day: Date.parse(by.day ?? ""), nanos: BigInt(sums["costNanos"] ?? "0") }));
}
