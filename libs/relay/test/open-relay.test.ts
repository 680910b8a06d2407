import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createLogger, readEnv, serviceVariables, SharedParts } from "@modelgate/platform";
import { startBackends, type Backends } from "@modelgate/testkit";
import { relayVariables } from "../src/env.ts";
import { openRelay } from "../src/open-relay.ts";

let backends: Backends;
beforeAll(async () => {
  backends = await startBackends();
});
afterAll(() => backends?.[Symbol.asyncDispose]());
afterEach(() => {
  vi.restoreAllMocks();
});

async function open() {
  const env = readEnv(serviceVariables("relay", relayVariables), {
    REDIS_URL: backends.redisUrl,
    NATS_URL: backends.natsUrl,
    MODELGATE_SECRET: "a secret of a test suite",
  });
  const { log } = createLogger("relay", "silent");
  const shared = new SharedParts(log);
  const ending = new AbortController();
  const { relay } = await openRelay(env, { shared, log, ending: ending.signal });
  return { relay, shared, ending, limitRetries: vi.spyOn(relay.settlements, "limitRetries") };
}

test("retries of settlements are limited when the open calls are ended, for which the drain waits", async () => {
  const { shared, ending, limitRetries } = await open();
  expect(limitRetries).not.toHaveBeenCalled();
  ending.abort();
  expect(limitRetries).toHaveBeenCalled();
  await shared[Symbol.asyncDispose]();
});

test("retries of settlements are limited before the shared parts wait for detached answers", async () => {
  const { relay, shared, limitRetries } = await open();
  const slot = relay.detachedAnswers.openSlot();
  const closing = shared[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(limitRetries).toHaveBeenCalled(), { timeout: 60_000 });
  slot?.[Symbol.dispose]();
  await closing;
});
