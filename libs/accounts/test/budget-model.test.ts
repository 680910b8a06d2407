import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  canStartCluster,
  testUsageDraft,
  startBackends,
  startClusterBackends,
  type Backends,
} from "@modelgate/testkit";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import {
  accountKeys,
  appliedBudget,
  createAccount,
  extendHold,
  hold,
  isOfOrganisation,
  periodNames,
  writeBudgetsToRedis,
  readBudgetUsage,
  releaseHold,
  settle,
  shardOf,
  sweepHolds,
  type Budget,
} from "../src/index.ts";

let backends: Backends;
let redis: Redis;
beforeAll(async () => {
  backends = canStartCluster ? await startClusterBackends() : await startBackends();
  redis = await openRedis(backends.redisUrl, createLogger("test", "silent").log);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

const leaseMs = 1_000;
const dayMs = 24 * 60 * 60_000;
const begin = Date.parse("2026-03-10T12:00:00Z");

type ValueOf<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;
type Step =
  | {
      readonly do: "hold";
      readonly nanos: bigint;
      readonly account: 0 | 1;
      readonly key: 0 | 1;
      readonly tagged: boolean;
      readonly byMember: boolean;
      readonly forUser: boolean;
      readonly isWithin: boolean;
    }
  | { readonly do: "settle" | "extend"; readonly call: number; readonly nanos: bigint }
  | { readonly do: "release"; readonly call: number }
  | { readonly do: "sweep" }
  | { readonly do: "wait"; readonly ms: number };

const nanos = fc.bigInt({ min: 0n, max: 60n });
const call = fc.nat({ max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("hold" as const),
      nanos,
      account: fc.constantFrom(0 as const, 0 as const, 1 as const),
      key: fc.constantFrom(0 as const, 1 as const),
      tagged: fc.boolean(),
      byMember: fc.boolean(),
      forUser: fc.boolean(),
      isWithin: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("settle" as const, "extend" as const), call, nanos }) },
  fc.record({ do: fc.constant("release" as const), call }),
  fc.record({ do: fc.constant("sweep" as const) }),
  fc.record({
    do: fc.constant("wait" as const),
    ms: fc.constantFrom(500, 20 * 60_000, 8 * 60 * 60_000, dayMs, 25 * dayMs),
  }),
);
const budgetProperties = fc.record({
  scope: fc.constantFrom(
    "organisation:acme",
    "account",
    "team:red",
    "member:red/mia",
    "group:g",
    "key:tok_0",
    "key:tok_1",
    "tag:team=red",
    "model:m",
    "end-user:ann",
  ),
  period: fc.constantFrom(...periodNames),
  zone: fc.constantFrom("UTC", "Asia/Kolkata", "America/New_York"),
  nanos: fc.nat({ max: 150 }).map(String),
  mode: fc.constantFrom("hard" as const, "hard" as const, "soft" as const),
  rolloverNanos: fc.option(fc.nat({ max: 200 }).map(String), { nil: undefined }),
});
const budgetOf = (at: number, { rolloverNanos, ...rest }: ValueOf<typeof budgetProperties>): Budget => ({
  ...rest,
  id: `bud_${at}`,
  createdAt: "2026-01-01T00:00:00Z",
  ...(rolloverNanos === undefined ? {} : { rolloverNanos }),
});

interface Call {
  readonly accountId: string;
  reserved: bigint;
  lease: number;
  open: boolean;
  readonly budgetPeriods: readonly { readonly model: BudgetModel; readonly period: number }[];
}

interface BudgetModel {
  readonly budget: Budget;
  readonly spent: Map<number, bigint>;
}

const amountOf = ({ budget }: BudgetModel): bigint => BigInt(budget.nanos);
const spentIn = ({ spent }: BudgetModel, period: number): bigint => spent.get(period) ?? 0n;

/** Returns the maximum spending of a period, with the unspent amounts of earlier periods. */
function allowedIn(model: BudgetModel, period: number): bigint {
  const { rolloverNanos } = model.budget;
  const periods = [...model.spent.keys()];
  let carry = 0n;
  if (rolloverNanos !== undefined && periods.length > 0)
    for (let at = Math.min(...periods); at < period; at++) {
      const remaining = amountOf(model) + carry - spentIn(model, at);
      carry = remaining < 0n ? 0n : remaining < BigInt(rolloverNanos) ? remaining : BigInt(rolloverNanos);
    }
  return amountOf(model) + carry;
}

/** Returns true if Redis counts the spending of a period: the latest one, the one before it, or a later one. */
function hasTotal({ spent }: BudgetModel, period: number): boolean {
  const [latest = -Infinity, before = -Infinity] = [...spent.keys()].toSorted((one, other) => other - one);
  return period >= latest || period === before;
}

/** Adds an amount to the budgets of a call. Returns false if a hard budget does not cover it. */
function add(budgetPeriods: Call["budgetPeriods"], change: bigint): boolean {
  for (const { model, period } of budgetPeriods) {
    if (!hasTotal(model, period)) continue;
    const last = Math.max(period, ...model.spent.keys());
    model.spent.set(period, spentIn(model, period) + change);
    if (change <= 0n || model.budget.mode === "soft") continue;
    for (const at of new Set([period, last])) {
      if (spentIn(model, at) <= allowedIn(model, at)) continue;
      return false;
    }
  }
  return true;
}

let runs = 0;

test("in every order of holds, extensions, ends and expiries, budgets contain the costs and holds of the calls of two accounts", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(budgetProperties, {
        minLength: 1,
        maxLength: 6,
        selector: ({ scope, period }) => `${scope} ${period}`,
      }),
      fc.array(step, { minLength: 5, maxLength: 40 }),
      async (properties, steps) => {
        const id = `budgeted-${runs++}`;
        const other = `${id}~other`;
        // Earlier runs on this shard may have left holds. A sweep would release them from the same organisation's budgets.
        await redis.del(`outbox:{s${shardOf(id)}}`, accountKeys.holds(shardOf(id)));
        const budgets = properties.map((each, at) => budgetOf(at, each));
        // The second account has only the budgets of the organisation.
        const lists = { [id]: budgets, [other]: budgets.filter(isOfOrganisation) };
        await redis.del(accountKeys.budgetsOfOrganisation(id, "organisation:acme"));
        for (const [accountId, list] of Object.entries(lists)) {
          await createAccount(redis, { id: accountId, balance: 10n ** 9n });
          const version = { version: 1, budgets: list };
          expect(await writeBudgetsToRedis(redis, accountId, version, new Map())).toBe("written");
        }
        const models = budgets.map((budget): BudgetModel => ({ budget, spent: new Map() }));
        const state = { id, now: begin, models, calls: new Map<string, Call>() };
        for (const [at, next] of steps.entries()) await runStep(state, next, at);
        const usage = await readBudgetUsage(
          redis,
          id,
          budgets.map((budget) => appliedBudget(budget, state.now)),
        );
        for (const [at, { usedNanos, carriedNanos, period }] of usage.entries()) {
          const model = models[at];
          if (model === undefined) throw new Error("unreachable");
          expect(usedNanos).toBe(spentIn(model, period.number));
          expect(amountOf(model) + carriedNanos).toBe(allowedIn(model, period.number));
        }
      },
    ),
    { numRuns: 150 },
  );
});

interface State {
  readonly id: string;
  now: number;
  readonly models: readonly BudgetModel[];
  readonly calls: Map<string, Call>;
}

async function runStep(state: State, next: Step, at: number): Promise<void> {
  const { id, calls, models } = state;
  if (next.do === "wait") {
    state.now += next.ms;
    return;
  }
  if (next.do === "sweep") {
    await sweepHolds(redis, shardOf(id), 100, { nowMs: state.now });
    for (const each of calls.values()) if (each.open && each.lease <= state.now) end(each, 0n);
    return;
  }
  if (next.do === "hold") {
    const callId = `${id}-call-${at}`;
    const accountId = next.account === 0 ? id : `${id}~other`;
    const tokenId = `tok_${next.key}`;
    const { labels, limits, scopes: further } = partsOf(next);
    const ofAccount = ["account", "model:m", "group:g", `key:${tokenId}`, ...further];
    const scopes = ["organisation:acme", ...(next.account === 0 ? ofAccount : [])];
    const budgetPeriods = models
      .filter(({ budget }) => scopes.includes(budget.scope))
      .map((model) => ({ model, period: appliedBudget(model.budget, state.now).period.number }));
    const before = snapshot(models);
    const covered = next.nanos === 0n || add(budgetPeriods, next.nanos);
    if (!covered) restore(models, before);
    const request = { accountId, callId, nanos: next.nanos, floorNanos: 0n, tokenId, tokens: 0, leaseMs };
    const draft = { ...testUsageDraft(accountId, callId), tokenId, model: "m", group: "g", ...labels };
    const isHeld = await hold(redis, { ...request, ...limits, draft, outboxBound: 1_000, nowMs: state.now }).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: "insufficient_quota" });
        return false;
      },
    );
    expect(isHeld).toBe(covered);
    // The first call starts the first period of a budget, even if it reserves nothing.
    if (isHeld) for (const { model, period } of budgetPeriods) if (model.spent.size === 0) model.spent.set(period, 0n);
    if (isHeld)
      calls.set(callId, { accountId, reserved: next.nanos, lease: state.now + leaseMs, open: true, budgetPeriods });
    return;
  }
  const [callId, found] = [...calls][next.call % Math.max(1, calls.size)] ?? [];
  if (callId === undefined || found === undefined) return;
  const { accountId } = found;
  if (next.do === "release") {
    expect(await releaseHold(redis, { accountId, callId })).toBe(found.open);
    if (found.open) end(found, 0n);
  } else if (next.do === "settle") {
    const draft = testUsageDraft(accountId, callId);
    const settlement = { accountId, callId, costNanos: next.nanos, tokens: 0, draft, nowMs: state.now };
    expect((await settle(redis, settlement)) !== undefined).toBe(found.open);
    if (found.open) end(found, next.nanos);
  } else if (next.nanos > 0n) {
    const before = snapshot(models);
    const covered = found.open && add(found.budgetPeriods, next.nanos);
    if (!covered) restore(models, before);
    const extended = await extendHold(redis, { accountId, callId, nanos: next.nanos }).catch(() => false);
    expect(extended).toBe(covered);
    if (covered) found.reserved += next.nanos;
  }
}

/** Returns the optional members of a call and of its request, and the scopes of the call. */
function partsOf({ tagged, byMember, forUser, isWithin }: Extract<Step, { readonly do: "hold" }>) {
  return {
    labels: {
      ...(tagged ? { tags: { team: "red" } } : {}),
      ...(byMember ? { team: "red", member: "red/mia" } : {}),
      ...(forUser ? { endUser: "ann" } : {}),
    },
    limits: isWithin ? { budgets: { within: "tok_0" } } : {},
    scopes: [
      ...(isWithin ? ["key:tok_0"] : []),
      ...(tagged ? ["tag:team=red"] : []),
      ...(byMember ? ["team:red", "member:red/mia"] : []),
      ...(forUser ? ["end-user:ann"] : []),
    ],
  };
}

/** Settles a call in the model. The cost is charged even if a budget does not cover it. */
function end(call: Call, cost: bigint): void {
  call.open = false;
  if (cost === call.reserved) return;
  for (const { model, period } of call.budgetPeriods)
    if (hasTotal(model, period)) model.spent.set(period, spentIn(model, period) + cost - call.reserved);
}

function snapshot(models: readonly BudgetModel[]): readonly ReadonlyMap<number, bigint>[] {
  return models.map(({ spent }) => new Map(spent));
}

function restore(models: readonly BudgetModel[], before: readonly ReadonlyMap<number, bigint>[]): void {
  for (const [at, { spent }] of models.entries()) {
    spent.clear();
    for (const [period, amount] of before[at] ?? []) spent.set(period, amount);
  }
}
