import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { shownChannel, switchedChannel } from "./operator.ts";
import { channel, config, hello, patientWithRedis, post } from "./suite-client.ts";

const [oldKey, newKey] = ["vendor-key-old", "vendor-key-new"];
const configured = (keys: readonly string[]) => ({
  ...config,
  models: { ...config.models, changed: config.models.chat },
  channels: [...config.channels, channel("changed", ["changed"], { keys })],
});

let suite: Suite;
beforeAll(async () => {
  // A second attempt would hide a failure.
  suite = await startSuite({
    config: configured([oldKey]),
    limits: { ...patientWithRedis, relay: { ...patientWithRedis.relay, attempts: { maxAttempts: 1 } } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** Returns the keys that the vendor received since the last call. */
async function usedKeys(): Promise<ReadonlySet<string>> {
  const requests = await suite.simulator.requests("changed");
  await suite.simulator.forget("changed");
  return new Set(requests.map(({ headers }) => (headers["authorization"] ?? "").replace("Bearer ", "")));
}

const streamed = (directive: object) => ({
  ...hello("changed", `{{simulate: ${JSON.stringify(directive)}}}`),
  stream: true,
});
const directive = { chunks: 10, chunkDelayMs: 5 };

test("under load, a vendor's key is added, drained and removed, and no call fails", async () => {
  const failed: string[] = [];
  let calls = 0;
  const stop = new AbortController();
  const client = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const answer = await post(suite, streamed(directive));
      const text = await answer.text();
      calls++;
      if (answer.status !== 200 || !text.includes("[DONE]")) failed.push(`${answer.status} ${text}`);
    }
  };
  const clients = Array.from({ length: 8 }, () => client().catch((error: unknown) => failed.push(String(error))));
  const long = post(suite, streamed({ chunks: 100, chunkDelayMs: 50 }))
    .then((answer) => answer.text())
    .catch(String);
  try {
    await until("calls with the old key", async () => (await usedKeys()).has(oldKey));

    suite.configure(configured([oldKey, newKey]));
    await until("calls with the new key", async () => (await usedKeys()).has(newKey));

    const { keys } = await shownChannel(suite, "changed");
    const drained = await switchedChannel(suite, "changed", "disable", { key: keys[0]?.id });
    expect(drained.keys.map(({ state }) => state)).toEqual(["disabled", "ok"]);
    await until("no calls with the old key", async () => {
      const used = await usedKeys();
      return used.has(newKey) && !used.has(oldKey);
    });

    suite.configure(configured([newKey]));
    await until("the channel to have one key", async () => (await shownChannel(suite, "changed")).keys.length === 1);
    const before = calls;
    await until("calls after the removal", () => calls > before + 20);
  } finally {
    stop.abort();
    await Promise.all(clients);
  }
  expect(failed).toEqual([]);
  expect(await long).toContain("[DONE]");
});
