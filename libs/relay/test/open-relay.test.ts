import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { compilePrice } from "@modelgate/contracts";
import { createLogger, readEnv, serviceVariables, SharedParts } from "@modelgate/platform";
import { startBackends, type Backends } from "@modelgate/testkit";
import { relayVariables } from "../src/env.ts";
import { makeUsageDraft } from "../src/money/usage-draft.ts";
import { openRelay } from "../src/open-relay.ts";
import { notSent } from "../src/outcome.ts";
import { callOf, FakeClient } from "./fakes.ts";

let backends: Backends;
beforeAll(async () => {
  backends = await startBackends();
});
afterAll(() => backends?.[Symbol.asyncDispose]());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const model = { name: "m", kind: "chat" as const, ownedBy: "o", price: compilePrice({ output: 1 }) };
const call = callOf(new FakeClient());
const record = { callId: "call_1", call, price: { model, multiplier: 1 }, heldAt: 0 };
const settlement = {
  accountId: "acme",
  callId: record.callId,
  costNanos: 1n,
  tokens: 0,
  draft: makeUsageDraft(record, notSent),
};

/** Advances the faked clock. Calls of Redis that are due take a turn of the real event loop. */
async function passMinutes(minutes: number): Promise<void> {
  for (let step = 0; step < minutes * 6; step++) {
    await vi.advanceTimersByTimeAsync(10_000);
    await nextTurn();
  }
}

test.each([
  ["open calls are ended", (ending: AbortController) => Promise.resolve(ending.abort())],
  ["parts are closed", (_: AbortController, shared: SharedParts) => shared[Symbol.asyncDispose]()],
])("a settlement is no longer retried for more than a minute when a process's %s", async (_, end) => {
  const env = readEnv(serviceVariables("relay", relayVariables), {
    REDIS_URL: backends.redisUrl,
    NATS_URL: backends.natsUrl,
    MODELGATE_SECRET: "a secret of a test suite",
  });
  const { log } = createLogger("relay", "silent");
  const shared = new SharedParts(log);
  const ending = new AbortController();
  const { relay } = await openRelay(env, { shared, log, ending: ending.signal });
  const slot = relay.detachedAnswers.openSlot();
  vi.spyOn(relay.redis, "sendCommand").mockRejectedValue(new Error("Connection is closed."));
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const steps: string[] = [];
  void relay.settlements.settle(settlement, call).then(() => steps.push("the settlement ends"));
  await passMinutes(5);
  steps.push("the process ends");
  const closing = end(ending, shared);
  await passMinutes(1);
  expect(steps).toEqual(["the process ends", "the settlement ends"]);
  vi.useRealTimers();
  vi.restoreAllMocks();
  slot?.[Symbol.dispose]();
  await closing;
  await shared[Symbol.asyncDispose]();
});
