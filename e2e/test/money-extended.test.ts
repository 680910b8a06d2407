import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shapes, startSuite, until, type Suite } from "@modelgate/testkit";
import { channelOf } from "./directions/house.ts";
import { vendors } from "./directions/vendors.ts";
import { storedEvents } from "./events.ts";
import { hello, money, sdk } from "./house.ts";
import { longAnswers } from "./long-answers.ts";

/** Nano-dollars a token. */
const price = { input: 1_000n, output: 10_000n };
const dollars = { input: 1, output: 10 };
/** Covers about 2,000 tokens of the answer's 4,000; and one that covers them all, but not the bound of 16,384. */
const [poor, able] = [20_000_000n, 80_000_000n];
const words = "story ".repeat(4_000);

const keyOf = (account: string): string => `sk-${account}-0123456789abcdef`;
const accountOf = (balance: bigint) => (name: string) =>
  [name, { balance: (Number(balance) / 1e9).toString(), tokens: [{ key: keyOf(name), group: "default" }] }] as const;
const served = [
  ...vendors,
  { name: "completions", wire: "chat", provider: "openai", path: "/openai/v1", wires: ["completions"], model: "gpt-x" },
] as const;

const config = {
  groups: { default: { models: ["*"] }, daily: { models: ["*"], limits: { dollarsPerDay: 0.02 } } },
  models: Object.fromEntries(
    served.map(({ name }) => [name, { kind: name === "completions" ? "completion" : "chat", price: dollars }]),
  ),
  channels: served.map((vendor) => channelOf(vendor, vendor.name, { [vendor.name]: vendor.model })),
  accounts: {
    ...Object.fromEntries(longAnswers.map(({ name }) => accountOf(poor)(`poor-${name}`))),
    ...Object.fromEntries(longAnswers.map(({ name }) => accountOf(able)(`able-${name}`))),
    ...Object.fromEntries(["content", "chat"].map((name) => accountOf(poor)(`array-${name}`))),
    killed: { balance: "1", tokens: [{ key: keyOf("killed"), group: "default" }] },
    thinking: { balance: "0.1", tokens: [{ key: keyOf("thinking"), group: "default" }] },
    budgeted: { balance: "10", tokens: [{ key: keyOf("budgeted"), group: "daily" }] },
  },
};

describe.each(shapes)("services %s", (shape) => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await startSuite({
      shape,
      config,
      limits: { relay: { limits: { stepTokens: 256, leaseMs: 1_500 } } },
    });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  const settled = (account: string) =>
    until(`all holds of ${account} to be settled`, async () => {
      const now = await money(suite, account);
      return now.heldNanos === "0" && now;
    });
  const eventOf = (account: string) =>
    until("its event", async () =>
      (await storedEvents(suite.backends.natsUrl))
        .map(({ event }) => event)
        .find(({ accountId }) => accountId === account),
    );
  const paced = { text: words, chunks: 1_000, chunkDelayMs: 1 };

  describe.each(longAnswers)("$name", ({ name, model, listen, length, whole }) => {
    test("a stream that the balance does not cover ends at what is paid, as one at its bound, and its vendor is stopped", async () => {
      const account = `poor-${name}`;
      await suite.simulator.forget(model);
      // A vendor that would never end by itself.
      await suite.simulator.script(model, [{ ...paced, stallAfterChunks: 990 }]);
      const heard = await listen(suite, keyOf(account), model);
      expect(heard.ending).toBe(length);
      expect(words.startsWith(heard.text)).toBe(true);
      expect(heard.text.length).toBeLessThan(words.length);
      const [after, event] = [await settled(account), await eventOf(account)];
      expect(event).toMatchObject({ outcome: "completed", status: 200, estimated: true });
      const { inputTokens = 0, outputTokens = 0 } = event.units;
      if (heard.output !== undefined) expect([heard.input, heard.output]).toEqual([inputTokens, outputTokens]);
      expect(BigInt(event.costNanos)).toBe(BigInt(inputTokens) * price.input + BigInt(outputTokens) * price.output);
      expect(BigInt(after.balanceNanos)).toBe(poor - BigInt(event.costNanos));
      expect(BigInt(after.balanceNanos) >= 0n).toBe(true);
      // What is left is little: the stream was not given up early.
      expect(BigInt(after.balanceNanos) < poor / 3n).toBe(true);
      await until("the vendor to be stopped", async () => (await suite.simulator.requests(model))[0]?.aborted === true);
    });

    test("a stream that the balance covers passes whole, though the bound of it could not have been held", async () => {
      const account = `able-${name}`;
      await suite.simulator.script(model, [paced]);
      const heard = await listen(suite, keyOf(account), model);
      expect(heard.ending).toBe(whole);
      expect(heard.text).toBe(words);
      const [after, event] = [await settled(account), await eventOf(account)];
      expect(event).toMatchObject({ outcome: "completed", estimated: false });
      expect(BigInt(after.balanceNanos)).toBe(able - BigInt(event.costNanos));
    });
  });

  test.each(["content", "chat"])(
    "generated content as one array is closed where it ends early, over %s",
    async (model) => {
      await suite.simulator.script(model, [paced]);
      const answer = await fetch(`${suite.edgeUrl}/v1beta/models/${model}:streamGenerateContent`, {
        method: "POST",
        headers: { "x-goog-api-key": keyOf(`array-${model}`), "content-type": "application/json" },
        body: JSON.stringify({ contents: [{ parts: [{ text: "Tell me." }] }] }),
      });
      const pieces: readonly object[] = JSON.parse(await answer.text());
      expect(pieces.length).toBeGreaterThan(100);
      expect(pieces.at(-1)).toMatchObject({
        candidates: [{ finishReason: "MAX_TOKENS" }],
        usageMetadata: { candidatesTokenCount: expect.any(Number) },
      });
    },
  );

  test("an answer that comes in one burst waits for its money and is whole; nothing of it is lost", async () => {
    const [chat] = longAnswers;
    await suite.simulator.script("chat", [{ text: words.slice(0, 6_000), chunks: 50 }]);
    await suite.ask("account", "top-up", "able-chat-bytes", "1", "--operation-id", "burst");
    const heard = await chat?.listen(suite, keyOf("able-chat-bytes"), "chat");
    expect(heard).toMatchObject({ text: words.slice(0, 6_000), ending: "stop" });
  });

  test("a budget that is spent ends a stream as an empty account does", async () => {
    const [chat] = longAnswers;
    await suite.simulator.script("chat", [paced]);
    expect(await chat?.listen(suite, keyOf("budgeted"), "chat")).toMatchObject({ ending: "length" });
    await settled("budgeted");
    const { costNanos } = await eventOf("budgeted");
    expect(BigInt(costNanos) <= 20_000_000n).toBe(true);
    expect(BigInt(costNanos) > 10_000_000n).toBe(true);
  });

  test("thoughts that a stream bills and does not show are held for whole: where they are asked for, and once a model has been seen to", async () => {
    const ask = (more: object) =>
      fetch(`${suite.edgeUrl}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${keyOf("thinking")}`, "content-type": "application/json" },
        body: JSON.stringify({ ...hello("open-chat"), stream: true, ...more }),
      }).then(async (answer) => [answer.status, await answer.text()] as const);
    // The whole bound is $0.16.
    expect(await ask({ reasoning_effort: "high" })).toMatchObject([402, expect.stringContaining("insufficient_quota")]);
    const usage = { inputTokens: 10, outputTokens: 3_000, reasoningTokens: 2_990 };
    await suite.simulator.script("open-chat", [{ text: "Well.", chunks: 1, usage }]);
    expect(await ask({})).toMatchObject([200, expect.stringContaining("Well.")]);
    expect(BigInt((await settled("thinking")).balanceNanos)).toBe(100_000_000n - 30_010_000n);
    expect((await ask({ max_tokens: 16_384 }))[0]).toBe(402);
    expect((await ask({ max_tokens: 1_000 }))[0]).toBe(200);
  });

  test("a response that was ended early is kept, and can be referred to", async () => {
    const client = sdk(suite, keyOf("poor-responses"));
    await suite.ask("account", "top-up", "poor-responses", "0.02", "--operation-id", "kept");
    await suite.simulator.script("responses", [paced, { text: "And so on." }]);
    const stream = await client.responses.create({ model: "responses", input: "Tell me.", stream: true });
    let [id, text] = ["", ""];
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.incomplete") ({ id } = event.response);
    }
    expect(text.length).toBeGreaterThan(1_000);
    await suite.ask("account", "top-up", "poor-responses", "1", "--operation-id", "more");
    const more = await client.responses.create({ model: "responses", input: "Go on.", previous_response_id: id });
    expect(more.output_text).toBe("And so on.");
    expect((await suite.simulator.requests("responses")).at(-1)?.body).toContain(text.slice(0, 1_000));
  });

  test("a service that is killed under a stream leaves a hold that was extended: it is charged what is certain, and the rest goes back", async () => {
    await suite.simulator.script("chat", [{ ...paced, chunkDelayMs: 5 }]);
    const stream = await sdk(suite, keyOf("killed")).chat.completions.create({ ...hello("chat"), stream: true });
    let text = "";
    const heard = (async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    })();
    heard.catch(() => undefined);
    // Twice what was held at first, and a floor that was renewed since.
    await until("its hold to grow", async () => {
      const held = BigInt((await money(suite, "killed")).heldNanos);
      return text.length > 8_000 && held > 2n * 256n * price.output;
    });
    suite.process("text").signal("SIGKILL");
    await suite.process("text").ended;
    await expect(heard).rejects.toThrow();
    await suite.restart("text");
    const after = await settled("killed");
    const event = await eventOf("killed");
    expect(event).toMatchObject({ outcome: "failed", estimated: true });
    expect(BigInt(after.balanceNanos)).toBe(1_000_000_000n - BigInt(event.costNanos));
    // Six letters are more than a token, and four are taken for one.
    expect(Number(event.units.outputTokens)).toBeGreaterThan(0);
    expect(Number(event.units.outputTokens)).toBeLessThanOrEqual(Math.ceil(text.length / 4) + 100);
  });
});
