import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { Redis, type Command } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createAccount, findAccount, readUnpublished, settle, shardOf, type OutboxEntry } from "@modelgate/accounts";
import { compilePrice, endpoints, parseNanos } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import { startBackends, until, type Backends } from "@modelgate/testkit";
import { holdMoney, type HeldMoney } from "../../src/money/held-money.ts";
import { openRenewals, openSettlements, type RenewedHold } from "../../src/money/settlements.ts";
import { makeUsageDraft } from "../../src/money/usage-draft.ts";
import { notSent, type Outcome } from "../../src/outcome.ts";

/** Behaviour of the store for one command. It may execute a command and lose the answer. */
type StoreFault = "answers" | "is away" | "loses its answer";
/** Action of a call after it has extended its hold. `throw` raises an error between other actions. */
type Step = "settle" | "release" | "hand over" | "throw";

class FaultyRedis extends Redis {
  faults: StoreFault[] = [];

  override sendCommand(...[command, stream]: Parameters<Redis["sendCommand"]>): unknown {
    const fault = isScript(command) ? this.faults.shift() : undefined;
    if (fault === undefined || fault === "answers") return super.sendCommand(command, stream);
    const executed: Promise<unknown> = fault === "is away" ? Promise.resolve() : this.#send(command, stream);
    return executed.then(() => Promise.reject(new Error(`Connection is closed: the store ${fault}`)));
  }

  async #send(...sent: Parameters<Redis["sendCommand"]>): Promise<void> {
    try {
      await super.sendCommand(...sent);
    } catch {
      // the answer is lost, even if it is an error
    }
  }
}

const isScript = ({ name }: Command): boolean => name === "evalsha";

const price = { model: { name: "m", kind: "chat" as const, ownedBy: "o", price: compilePrice({ output: 1 }) } };
const balance = 1_000_000_000n;
const upperNanos = 400_000n;
const used: Outcome = { ...notSent, units: { outputTokens: 300 }, callStatus: "completed", status: 200 };
const costNanos = 300_000n;
const { log } = createLogger("held", "silent");

let backends: Backends;
let store: Redis;
let calls = 0;
/** Number of concurrent sequences of calls, and of calls in each. Concurrent, because calls often wait for retries. */
const [sequences, callsEach] = [6, 25];

beforeAll(async () => {
  backends = await startBackends();
  store = new Redis(backends.redisUrl);
});
afterAll(async () => {
  store?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

/** Opens settlements, and a list of renewed holds. `hold` holds money for a call of an account. */
function openMoney(faulty: FaultyRedis, maxRetried?: number) {
  const renewed = new Set<RenewedHold>();
  const pushed: OutboxEntry[] = [];
  const outbox = { push: (...entries: readonly OutboxEntry[]) => void pushed.push(...entries) };
  const settlements = openSettlements({
    redis: faulty,
    outbox: { ...outbox, waiting: 0, [Symbol.asyncDispose]: () => Promise.resolve() },
    log,
    maxRetried,
  });
  const renewals = {
    add(hold: RenewedHold) {
      renewed.add(hold);
      return { [Symbol.dispose]: () => void renewed.delete(hold) };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const deps = { redis: faulty, settlements, renewals, log, newCallId: () => `call_${++calls}`, limits };
  const hold = (accountId: string): Promise<HeldMoney> => {
    const caller = { accountId, tokenId: "tok_1", group: "g", requestId: "r", expiresAt: 0 };
    const call = { caller, requestId: "r", id: "chatCompletions" as const, endpoint: endpoints.chatCompletions };
    return holdMoney(deps, {
      call,
      price: { ...price, multiplier: 1 },
      expected: { upperNanos, floorNanos: 0n, floorUnits: {}, tokens: 0 },
      certainOutcome: { ...used, units: {} },
    });
  };
  return { hold, settlements, renewed, pushed };
}

/** Holds money, extends the hold, and performs the steps. Catches all errors. */
async function live(faulty: FaultyRedis, accountId: string, extensions: number, steps: readonly Step[]) {
  const { hold, settlements, renewed, pushed } = openMoney(faulty);
  let held: HeldMoney | undefined;
  const performed: Step[] = [];
  try {
    using money = await hold(accountId);
    held = money;
    for (let at = 0; at < extensions; at++) await money.extend(1_000n).catch(() => false);
    for (const step of steps) {
      performed.push(step);
      if (step === "throw") throw new Error("whatever comes between");
      if (step === "settle") void money.settle(used);
      if (step === "release") void money.release();
      if (step === "hand over") money.handOver();
    }
  } catch {
    // the test checks that the hold was settled or released after any error
  }
  await settlements[Symbol.asyncDispose]();
  return { held, first: performed.find((step) => step !== "throw"), renewed, pushed };
}

const limits = { leaseMs: 60_000, outboxBound: 1_000_000 };
const fault = fc.constantFrom<StoreFault>("answers", "is away", "loses its answer");
const step = fc.constantFrom<Step>("settle", "release", "hand over", "throw");

test("after any error and any outage of Redis, a hold is settled or released exactly once", async () => {
  await Promise.all(Array.from({ length: sequences }, checkCalls));
});

describe("an outage of Redis that is longer than a minute", () => {
  afterEach(() => void vi.useRealTimers());

  test.each([
    ["charges the call after it", false, costNanos],
    ["leaves the call to the sweep if the process ends", true, 0n],
  ])("%s", async (_, isEnding, spentNanos) => {
    const faulty = new FaultyRedis(backends.redisUrl);
    const accountId = `account_${++calls}`;
    await createAccount(store, { id: accountId, balance });
    const { hold, settlements } = openMoney(faulty);
    const money = await hold(accountId);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    faulty.faults = Array.from({ length: 15 }, () => "is away" as const);
    if (isEnding) settlements.limitRetries();
    const settled = money.settle(used).then(() => true);
    for (let isOver = false; !isOver;) {
      await vi.advanceTimersByTimeAsync(20_000);
      isOver = await Promise.race([settled, nextTurn(false)]);
    }
    faulty.disconnect();
    expect((await findAccount(store, accountId))?.spentNanos).toBe(spentNanos);
  });

  test("leaves only the calls above the maximum to the sweep", async () => {
    const faulty = new FaultyRedis(backends.redisUrl);
    const accountId = `account_${++calls}`;
    await createAccount(store, { id: accountId, balance });
    const { hold } = openMoney(faulty, 1);
    const held = await Promise.all([hold(accountId), hold(accountId), hold(accountId)]);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    faulty.faults = Array.from({ length: 40 }, () => "is away" as const);
    const settled = Promise.all(held.map((money) => money.settle(used))).then(() => true);
    for (let isOver = false; !isOver;) {
      vi.advanceTimersByTime(20_000); // all calls fail at the same time
      isOver = await Promise.race([settled, nextTurn(false)]);
    }
    faulty.disconnect();
    expect((await findAccount(store, accountId))?.spentNanos).toBe(costNanos);
  });
});

async function checkCalls(): Promise<void> {
  const faulty = new FaultyRedis(backends.redisUrl);
  const checked = fc.assert(
    fc.asyncProperty(
      fc.array(fault, { maxLength: 5 }),
      fc.nat({ max: 2 }),
      fc.array(step, { maxLength: 4 }),
      async (faults, extensions, steps) => {
        const accountId = `account_${++calls}`;
        await createAccount(store, { id: accountId, balance });
        faulty.faults = [...faults];
        const { held, first, renewed, pushed } = await live(faulty, accountId, extensions, steps);
        faulty.faults = [];
        expect(renewed.size).toBe(0);
        const after = await findAccount(store, accountId);
        const settled = held !== undefined && first === "settle";
        const handedOver = held !== undefined && first === "hand over";
        expect(after?.spentNanos).toBe(settled ? costNanos : 0n);
        expect((after?.heldNanos ?? 0n) > 0n).toBe(handedOver);
        expect((after?.availableNanos ?? 0n) + (after?.heldNanos ?? 0n)).toBe(balance - (after?.spentNanos ?? 0n));
        await expectEvents(accountId, { settled, isRefused: held === undefined, pushed });
        if (handedOver) await settleLater(accountId, held);
      },
    ),
    { numRuns: callsEach },
  );
  await checked.finally(() => faulty.disconnect());
}

interface Events {
  readonly settled: boolean;
  readonly isRefused: boolean;
  readonly pushed: readonly OutboxEntry[];
}

/** A settled call has one event; a refused one none, or one with a cost of zero; all others have none. */
async function expectEvents(accountId: string, { settled, isRefused, pushed }: Events): Promise<void> {
  const stored = (await readUnpublished(store, shardOf(accountId), -1_000, 1_000_000)).filter(
    ({ event }) => event.accountId === accountId && "units" in event,
  );
  expect(pushed.length).toBeLessThanOrEqual(stored.length);
  if (settled) expect(stored.map(({ event }) => event)).toMatchObject([{ costNanos: String(costNanos) }]);
  else if (isRefused) for (const { event } of stored) expect(event).toMatchObject({ costNanos: "0" });
  else expect(stored).toEqual([]);
}

async function settleLater(accountId: string, { record, callId }: HeldMoney): Promise<void> {
  await settle(store, {
    accountId,
    callId,
    costNanos: parseNanos("5"),
    tokens: 0,
    draft: makeUsageDraft(record, used),
  });
  expect(await findAccount(store, accountId)).toMatchObject({ heldNanos: 0n, spentNanos: 5n });
}

test("the shutdown of a process waits for holds whose calls are still counted", async () => {
  const renewals = openRenewals({ redis: store, log, leaseMs: 60_000 });
  const counted = renewals.add({ accountId: "a", callId: "one", progress: () => undefined });
  const steps: string[] = [];
  const closed = renewals[Symbol.asyncDispose]().then(() => steps.push("closed"));
  await new Promise((resolve) => setImmediate(resolve));
  steps.push("settled");
  counted[Symbol.dispose]();
  await closed;
  expect(steps).toEqual(["settled", "closed"]);
});

test("a hold whose progress cannot be computed does not stop the renewals", async () => {
  const renewals = openRenewals({ redis: store, log, leaseMs: 30 });
  let computed = 0;
  const progress = (): undefined => {
    computed++;
    throw new RangeError("not an amount");
  };
  const holds = ["first", "second"].map((callId) => renewals.add({ accountId: "a", callId, progress }));
  await until("several renewals of both holds", async () => computed >= 6);
  for (const hold of holds) hold[Symbol.dispose]();
  await renewals[Symbol.asyncDispose]();
});
