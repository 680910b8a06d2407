import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount, findAccount, InsufficientQuota } from "@modelgate/accounts";
import { compilePrice, costOf, type Budgets, type Units } from "@modelgate/contracts";
import { startBackends, type Backends } from "@modelgate/testkit";
import type { CallDeps } from "../src/deps.ts";
import type { CallKind, Plan } from "../src/kind.ts";
import { capUnits } from "../src/money/usage-bound.ts";
import { holdPlan } from "../src/run-call.ts";
import type { RequestSize, TextCost } from "../src/money/measure.ts";
import { callOf, FakeClient, runDeps } from "./fakes.ts";

let backends: Backends;
let redis: Redis;
let count = 0;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

type TextPlan = Plan & { readonly cost: TextCost };

/** Kind of call whose output limit can always be lowered. */
const kind: Pick<CallKind<never, TextPlan>, "withAffordableOutput"> = {
  withAffordableOutput({ cost, ...plan }, tokens) {
    const size = { ...cost.size, affordableOutputTokens: tokens, maxOutputTokens: tokens * cost.size.choices };
    return { ...plan, cost: { ...cost, size } };
  },
};

const body = Buffer.from("x".repeat(100));
const unbounded: RequestSize = { textBytes: 100, mediaTokens: 0, maxOutputTokens: undefined, choices: 1 };
const planOf = (size: Partial<RequestSize>, cost: Partial<TextCost> = {}): TextPlan => ({
  wires: [],
  cost: { by: "text", body, size: { ...unbounded, ...size }, stream: false, ...cost },
});

/** Dollars per million tokens: an input token costs 1,000 nano-dollars, an output token 20,000. */
const price = { input: 1, output: 20 };

interface Account {
  readonly balance: bigint;
  readonly budgets?: Budgets;
}

/** Creates an account, and a function that holds its money for a call. */
async function open({ balance, budgets }: Account) {
  const accountId = `hold-plan-${++count}`;
  await createAccount(redis, { id: accountId, balance });
  const client = new FakeClient();
  const call = callOf(client);
  const from = { ...call, caller: { ...call.caller, accountId, ...(budgets && { budgets }) } };
  const deps: CallDeps = {
    ...runDeps(),
    redis,
    newCallId: () => `${accountId}-call-${++count}`,
    renewals: { add: () => ({ [Symbol.dispose]: () => undefined }), [Symbol.asyncDispose]: async () => undefined },
    settlements: {
      limitRetries: () => undefined,
      settle: async () => undefined,
      release: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    },
  };
  const serving = (prices: object = price, multiplier = 1) => ({
    model: { name: "m", kind: "chat" as const, ownedBy: "o", price: compilePrice(prices) },
    multiplier,
  });
  return {
    hold: async (plan: TextPlan, of = serving()) =>
      await holdPlan(deps, from, kind, { serving: { ...of, unpriced: "refuse" }, plan }),
    serving,
    available: async () => (await findAccount(redis, accountId))?.availableNanos,
  };
}

/** Nano-dollars that are held for an output limit and a body of 100 tokens. */
const heldFor = (tokens: number): bigint => 100_000n + BigInt(tokens) * 20_000n;

describe("a call without an output limit", () => {
  test.each([
    ["covers the default limit", heldFor(16_384), undefined, 0n],
    ["is a nano-dollar short of the default limit", heldFor(16_384) - 1n, 16_383, 19_999n],
    ["covers a fraction of a token more", heldFor(300) + 7n, 300, 7n],
    ["covers the minimum", heldFor(256), 256, 0n],
  ])("has a hold for the limit that the balance covers: it %s", async (_, balance, tokens, remaining) => {
    const { hold, available } = await open({ balance });
    const { held, plan } = await hold(planOf({}));
    expect(plan.cost.size.affordableOutputTokens).toBe(tokens);
    expect(held.expected.upperNanos).toBe(balance - remaining);
    expect(await available()).toBe(remaining);
  });

  test.each([heldFor(256) - 1n, 0n])("is refused if the balance of %s does not cover the minimum", async (balance) => {
    const { hold, available } = await open({ balance });
    await expect(hold(planOf({}))).rejects.toMatchObject({
      code: "insufficient_quota",
      message: expect.stringContaining("may cost up to $0.32778"),
    });
    expect(await available()).toBe(balance);
  });

  test("has a hold for the limit that a budget covers", async () => {
    const { hold, available } = await open({ balance: 1_000_000_000n, budgets: { tokenPerDay: String(heldFor(500)) } });
    expect((await hold(planOf({}))).plan.cost.size.affordableOutputTokens).toBe(500);
    expect(await available()).toBe(1_000_000_000n - heldFor(500));
    await expect(hold(planOf({}))).rejects.toBeInstanceOf(InsufficientQuota);
  });

  test("with several answers is limited in each of them", async () => {
    const { hold } = await open({ balance: heldFor(3 * 400) + 59_999n });
    const { plan } = await hold(planOf({ choices: 3 }));
    expect(plan.cost.size).toMatchObject({ affordableOutputTokens: 400, maxOutputTokens: 1_200 });
  });

  test("a growing hold is complete from the start if the balance does not cover the first step", async () => {
    const stream = planOf({}, { stream: true });
    const covered = await open({ balance: heldFor(2_048) });
    expect((await covered.hold(stream)).held.expected.output).toMatchObject({ first: 2_048, max: Infinity });
    const lowered = await open({ balance: heldFor(2_047) });
    expect((await lowered.hold(stream)).held.expected.output).toMatchObject({ first: 2_047, max: 2_047 });
  });

  test("is limited by the price of the model that serves it, also a fallback", async () => {
    const { hold, serving } = await open({ balance: heldFor(1_000) });
    const { held } = await hold(planOf({}));
    expect(held.expected.upperNanos).toBe(heldFor(1_000));
    const other = await open({ balance: heldFor(1_000) });
    const { plan } = await other.hold(planOf({}), serving({ input: 1, output: 10 }, 2));
    // The body costs 200,000 nano-dollars, an output token 20,000.
    expect(plan.cost.size.affordableOutputTokens).toBe(995);
  });
});

test("a client's limit is never lowered", async () => {
  const { hold, available } = await open({ balance: heldFor(1_000) });
  await expect(hold(planOf({ maxOutputTokens: 1_001 }))).rejects.toBeInstanceOf(InsufficientQuota);
  expect(await available()).toBe(heldFor(1_000));
  const { plan } = await hold(planOf({ maxOutputTokens: 1_000 }));
  expect(plan.cost.size.affordableOutputTokens).toBeUndefined();
});

test("the holds of concurrent calls never exceed the balance", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: 0n, max: heldFor(40_000) }),
      fc.array(fc.option(fc.integer({ min: 1, max: 20_000 })), { minLength: 1, maxLength: 8 }),
      async (balance, bounds) => {
        const { hold, available } = await open({ balance });
        const calls = bounds.map((bound) => hold(planOf({ maxOutputTokens: bound ?? undefined })));
        let sum = 0n;
        for (const result of await Promise.allSettled(calls)) {
          if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "insufficient_quota" });
          else sum += result.value.held.expected.upperNanos;
        }
        expect(sum <= balance).toBe(true);
        expect(await available()).toBe(balance - sum);
      },
    ),
    { numRuns: 40 },
  );
});

test("the bill of a call with a lowered limit never exceeds its hold, whatever the vendor reports", async () => {
  const amount = fc.nat({ max: 1_000_000 });
  const report = fc.record({
    inputTokens: amount,
    cachedInputTokens: amount,
    outputTokens: amount,
    reasoningTokens: amount,
    requests: fc.nat({ max: 9 }),
    seconds: amount,
    images: amount,
  });
  const { hold, serving } = await open({ balance: heldFor(300) });
  const priced = serving({ ...price, request: 0, image: 1, second: 1 });
  const { held } = await hold(planOf({}), priced);
  fc.assert(
    fc.property(report, (reported: Units) => {
      const { units } = capUnits(reported, held.expected.bound);
      expect(costOf({ ...units, requests: 1 }, priced.model.price, 1) <= held.expected.upperNanos).toBe(true);
    }),
  );
});
