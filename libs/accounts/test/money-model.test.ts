import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { createLogger, openRedis, type Redis } from "@modelgate/platform";
import {
  type Backends,
  canStartCluster,
  testUsageDraft,
  startBackends,
  startClusterBackends,
} from "@modelgate/testkit";
import {
  createAccount,
  credit,
  extendHold,
  findAccount,
  hold,
  readUnpublished,
  releaseHold,
  renewHold,
  settle,
  shardOf,
  sweepHolds,
} from "../src/index.ts";

let redis: Redis;

const leaseMs = 1_000;
type Step =
  | { readonly do: "hold"; readonly nanos: bigint; readonly floor: number }
  | { readonly do: "settle" | "settle again"; readonly call: number; readonly nanos: bigint }
  | { readonly do: "renew"; readonly call: number; readonly nanos: bigint }
  | { readonly do: "extend"; readonly call: number; readonly nanos: bigint; readonly steps: number }
  | { readonly do: "release"; readonly call: number }
  | { readonly do: "sweep" }
  | { readonly do: "credit"; readonly nanos: bigint; readonly again: boolean }
  | { readonly do: "wait"; readonly ms: number };

const nanos = fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.bigInt({ min: 0n, max: 2n ** 53n + 10n }));
const call = fc.nat({ max: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("hold" as const), nanos, floor: fc.nat({ max: 100 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("settle" as const, "settle again" as const), call, nanos }) },
  fc.record({ do: fc.constant("renew" as const), call, nanos }),
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("extend" as const), call, nanos, steps: fc.integer({ min: 1, max: 4 }) }),
  },
  fc.record({ do: fc.constant("release" as const), call }),
  fc.record({ do: fc.constant("sweep" as const) }),
  fc.record({
    do: fc.constant("credit" as const),
    nanos: fc.bigInt({ min: -1_000n, max: 2n ** 53n }).filter((amount) => amount !== 0n),
    again: fc.boolean(),
  }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.nat({ max: 900 }) }),
);

interface Model {
  now: number;
  credited: bigint;
  spent: bigint;
  available: bigint;
  calls: Map<string, { held: bigint; floor: bigint; lease: number; open: boolean }>;
  settlements: number;
}

let runs = 0;

describe.each([
  ["one Redis", startBackends] as const,
  ...(canStartCluster ? [["a Redis Cluster of three nodes", startClusterBackends] as const] : []),
])("on %s", (_, start) => {
  let backends: Backends;
  beforeAll(async () => {
    backends = await start();
    redis = await openRedis(backends.redisUrl, createLogger("test", "silent").log);
  });
  afterAll(async () => {
    redis?.disconnect();
    await backends?.[Symbol.asyncDispose]();
  });

  test("in every interleaving: balance = credited − spent, held = open holds, nothing negative, each hold settled once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 0n, max: 2n ** 54n }),
        fc.array(step, { minLength: 5, maxLength: 40 }),
        async (balance, steps) => {
          const id = `account-${runs++}`;
          await redis.del(`outbox:{s${shardOf(id)}}`);
          await createAccount(redis, { id, balance });
          const model: Model = {
            now: 1_000_000,
            credited: balance,
            spent: 0n,
            available: balance,
            calls: new Map(),
            settlements: 0,
          };
          for (const [at, next] of steps.entries()) await runStep(id, next, at, model);
          const account = await findAccount(redis, id);
          const reserved = [...model.calls.values()]
            .filter(({ open }) => open)
            .reduce((sum, { held: amount }) => sum + amount, 0n);
          expect(account).toMatchObject({
            availableNanos: model.available,
            heldNanos: reserved,
            creditedNanos: model.credited,
            spentNanos: model.spent,
          });
          expect(account?.balanceNanos).toBe(model.credited - model.spent);
          expect(model.available >= 0n).toBe(true);
          const events = (await readUnpublished(redis, shardOf(id), 0, 1_000)).flatMap(({ event }) =>
            event.accountId === id && "costNanos" in event ? [event] : [],
          );
          expect(events).toHaveLength(model.settlements);
          expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
          expect(events.reduce((sum, event) => sum + BigInt(event.costNanos), 0n)).toBe(model.spent);
        },
      ),
      { numRuns: 120 },
    );
  });
});

async function runStep(id: string, next: Step, at: number, model: Model): Promise<void> {
  const names = [...model.calls.keys()];
  switch (next.do) {
    case "wait":
      model.now += next.ms;
      return;
    case "hold": {
      const callId = `${id}-call-${at}`;
      const floor = (next.nanos * BigInt(next.floor)) / 100n;
      const isHeld = await hold(redis, {
        accountId: id,
        callId,
        nanos: next.nanos,
        floorNanos: floor,
        draft: testUsageDraft(id, callId),
        tokenId: "tok_1",
        tokens: 0,
        leaseMs,
        outboxBound: 1_000,
        nowMs: model.now,
      }).then(() => true, refusedForMoney);
      expect(isHeld).toBe(next.nanos <= model.available);
      if (!isHeld) return;
      model.available -= next.nanos;
      model.calls.set(callId, { held: next.nanos, floor, lease: model.now + leaseMs, open: true });
      return;
    }
    case "settle":
    case "settle again": {
      const callId = names[next.call % Math.max(1, names.length)];
      if (callId === undefined) return;
      const entry = await settle(redis, {
        accountId: id,
        callId,
        costNanos: next.nanos,
        tokens: 0,
        draft: testUsageDraft(id, callId),
        nowMs: model.now,
      });
      const modelCall = model.calls.get(callId);
      expect(entry !== undefined).toBe(modelCall?.open);
      if (modelCall !== undefined && entry !== undefined)
        expect(BigInt(entry.event.costNanos)).toBe(end(model, modelCall, next.nanos));
      return;
    }
    case "renew": {
      const callId = names[next.call % Math.max(1, names.length)];
      if (callId === undefined) return;
      const modelCall = model.calls.get(callId);
      expect(await renewHold(redis, { accountId: id, callId, leaseMs, floorNanos: next.nanos, nowMs: model.now })).toBe(
        modelCall?.open,
      );
      if (modelCall === undefined || !modelCall.open) return;
      modelCall.lease = model.now + leaseMs;
      if (next.nanos > modelCall.floor) modelCall.floor = next.nanos > modelCall.held ? modelCall.held : next.nanos;
      return;
    }
    case "extend": {
      const callId = names[next.call % Math.max(1, names.length)];
      const modelCall = callId === undefined ? undefined : model.calls.get(callId);
      if (callId === undefined || modelCall === undefined || next.nanos === 0n) return;
      // Extends as a stream does: step by step, and by half a step after a refusal.
      for (let remaining = next.steps, step = next.nanos; remaining > 0 && step > 0n; remaining--) {
        const isCovered = step <= model.available;
        const extended = await extendHold(redis, { accountId: id, callId, nanos: step }).catch(refusedForMoney);
        expect(extended).toBe(modelCall.open && isCovered);
        if (extended) {
          model.available -= step;
          modelCall.held += step;
        } else step /= 2n;
      }
      return;
    }
    case "release": {
      const callId = names[next.call % Math.max(1, names.length)];
      const modelCall = callId === undefined ? undefined : model.calls.get(callId);
      if (callId === undefined || modelCall === undefined) return;
      expect(await releaseHold(redis, { accountId: id, callId })).toBe(modelCall.open);
      if (!modelCall.open) return;
      modelCall.open = false;
      model.available += modelCall.held;
      return;
    }
    case "sweep": {
      const swept = await sweepHolds(redis, shardOf(id), 100, { nowMs: model.now });
      const sweptOfAccount = swept.filter(({ event }) => event.accountId === id);
      const dead = [...model.calls].filter(([, found]) => found.open && found.lease <= model.now);
      expect(sweptOfAccount.map(({ event }) => event.id).sort()).toEqual(dead.map(([callId]) => callId).sort());
      for (const [, found] of dead) end(model, found, found.floor);
      for (const { event } of sweptOfAccount) expect(event).toMatchObject({ outcome: "failed", estimated: true });
      return;
    }
    case "credit": {
      const operationId = `operation-${at}`;
      const reply = await credit(redis, { accountId: id, nanos: next.nanos, reason: "test", operationId });
      expect(reply).toBe(model.available + next.nanos < 0n && next.nanos < 0n ? "too-low" : "credited");
      if (reply !== "credited") return;
      model.available += next.nanos;
      model.credited += next.nanos;
      if (next.again)
        expect(await credit(redis, { accountId: id, nanos: next.nanos, reason: "test", operationId })).toBe(
          "credited-before",
        );
    }
  }
}

/** Settles a call in the model. Returns the amount that is charged. */
function end(model: Model, found: { held: bigint; open: boolean }, cost: bigint): bigint {
  const before = model.available + found.held;
  const debited = cost > before ? before : cost;
  found.open = false;
  model.available = before - debited;
  model.spent += debited;
  model.settlements++;
  return debited;
}

function refusedForMoney(error: unknown): false {
  expect(error).toBeInstanceOf(Failure);
  expect(error).toMatchObject({ code: "insufficient_quota" });
  return false;
}
