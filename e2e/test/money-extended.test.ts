import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { channel, hello, money, sdk, settledMoney } from "./suite-client.ts";

/** Prices in nano-dollars per token. */
const price = { input: 1_000n, output: 10_000n };
/** Balance in nano-dollars that pays for about 2,000 of the answer's 4,000 tokens. */
const poor = 20_000_000n;
const words = "story ".repeat(4_000);
const keyOf = (account: string): string => `sk-${account}-0123456789abcdef`;
const accountOf = (name: string, balance: string) => ({
  [name]: { balance, tokens: [{ key: keyOf(name), group: "default" }] },
});

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config: {
      groups: { default: { models: ["*"] } },
      models: { chat: { kind: "chat", price: { input: 1, output: 10 } } },
      channels: [channel("chat", ["chat"], { wires: ["chat"] })],
      accounts: { ...accountOf("poor", "0.02"), ...accountOf("killed", "1") },
    },
    limits: { relay: { limits: { stepTokens: 256, leaseMs: 1_500 } } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const eventOf = (account: string) =>
  until("its event", async () =>
    (await storedEvents(suite.backends.natsUrl))
      .map(({ event }) => event)
      .find(({ accountId }) => accountId === account),
  );
const paced = { text: words, chunks: 1_000, chunkDelayMs: 1 };

test("a stream beyond the balance ends when its hold is used up, and its vendor is stopped", async () => {
  // The vendor's stream never ends.
  await suite.simulator.script("chat", [{ ...paced, stallAfterChunks: 990 }]);
  const stream = await sdk(suite, keyOf("poor")).chat.completions.create({ ...hello("chat"), stream: true });
  let [text, ending] = ["", ""];
  for await (const { choices } of stream) {
    text += choices[0]?.delta.content ?? "";
    ending += choices[0]?.finish_reason ?? "";
  }
  expect([words.startsWith(text), ending]).toEqual([true, "length"]);
  const [after, event] = [await settledMoney(suite, "poor"), await eventOf("poor")];
  expect(event).toMatchObject({ outcome: "completed", status: 200, estimated: true });
  expect(BigInt(after.balanceNanos)).toBe(poor - BigInt(event.costNanos));
  // A small remaining balance shows that the stream did not end too early.
  expect(BigInt(after.balanceNanos) >= 0n && BigInt(after.balanceNanos) < poor / 3n).toBe(true);
  await until(
    "the vendor's answer to be stopped",
    async () => (await suite.simulator.requests("chat"))[0]?.aborted === true,
  );
});

test("the extended hold of a killed service is charged the certain part, and the rest is released", async () => {
  await suite.simulator.script("chat", [{ ...paced, chunkDelayMs: 5 }]);
  const stream = await sdk(suite, keyOf("killed")).chat.completions.create({ ...hello("chat"), stream: true });
  let text = "";
  const received = (async () => {
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  })();
  received.catch(() => undefined);
  // More than twice the initial hold. The floor was also renewed.
  await until("its hold to grow", async () => {
    const held = BigInt((await money(suite, "killed")).heldNanos);
    return text.length > 8_000 && held > 2n * 256n * price.output;
  });
  suite.process("text").signal("SIGKILL");
  await suite.process("text").ended;
  await expect(received).rejects.toThrow();
  const after = await settledMoney(suite, "killed");
  const event = await eventOf("killed");
  expect(event).toMatchObject({ outcome: "failed", estimated: true });
  expect(BigInt(after.balanceNanos)).toBe(1_000_000_000n - BigInt(event.costNanos));
  // An estimate assumes four characters per token.
  expect(Number(event.units.outputTokens)).toBeGreaterThan(0);
  expect(Number(event.units.outputTokens)).toBeLessThanOrEqual(Math.ceil(text.length / 4) + 100);
});
