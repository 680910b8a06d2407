import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { hello } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { sdk } from "./requests.ts";
import { longAnswers } from "./long-answers.ts";

/** Price per token in nano-dollars. */
const price = { input: 1_000n, output: 10_000n };
const dollars = { input: 1, output: 10 };
/**
 * Balances in nano-dollars: one covers about half of the answer's 4,000 tokens; the other covers all, but not the
 * maximum.
 */
const [poor, able] = [20_000_000n, 80_000_000n];
const words = "story ".repeat(4_000);

const keyOf = (account: string): string => `sk-${account}-0123456789abcdef`;
const accountOf = (balance: bigint) => (name: string) =>
  [name, { balance: (Number(balance) / 1e9).toString(), tokens: [{ key: keyOf(name), group: "default" }] }] as const;
const served = [
  { name: "chat", provider: "openai", path: "/openai/v1", wires: ["chat"], model: "gpt-5.1" },
  { name: "open-chat", provider: "openai", path: "/openai/v1", wires: ["chat"], model: "open-thinker" },
  { name: "responses", provider: "openai", path: "/openai/v1", wires: ["responses", "compact"], model: "gpt-5.1" },
  { name: "messages", provider: "anthropic", path: "/anthropic", model: "claude-sonnet-4-5" },
  { name: "content", provider: "gemini", path: "/gemini", model: "gemini-3-flash" },
  { name: "completions", provider: "openai", path: "/openai/v1", wires: ["completions"], model: "gpt-x" },
] as const;

const config = {
  groups: { default: { models: ["*"] }, daily: { models: ["*"], limits: { dollarsPerDay: 0.02 } } },
  models: Object.fromEntries(
    served.map(({ name }) => [name, { kind: name === "completions" ? "completion" : "chat", price: dollars }]),
  ),
  channels: served.map(({ name, path, model, ...vendor }) => ({
    ...vendor,
    id: name,
    baseUrl: `\${SIMULATOR_URL}/at/${name}${path}`,
    keys: [`key-of-${name}`],
    models: { [name]: model },
  })),
  accounts: {
    ...Object.fromEntries(longAnswers.map(({ name }) => accountOf(poor)(`poor-${name}`))),
    ...Object.fromEntries(longAnswers.map(({ name }) => accountOf(able)(`able-${name}`))),
    ...Object.fromEntries(["content", "chat"].map((name) => accountOf(poor)(`array-${name}`))),
    thinking: { balance: "0.1", tokens: [{ key: keyOf("thinking"), group: "default" }] },
    budgeted: { balance: "10", tokens: [{ key: keyOf("budgeted"), group: "daily" }] },
  },
};

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config,
    limits: { relay: { limits: { stepTokens: 256, leaseMs: 600 } } },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const eventOf = (account: string) =>
  until("its event", async () => (await area.events()).find(({ accountId }) => accountId === account));
/** Answer that takes longer than the interval in which its hold is renewed. */
const paced = { text: words, chunks: 200, chunkDelayMs: 2 };

describe.each(longAnswers)("$name", ({ name, model, listen, length, whole }) => {
  test("a stream beyond the balance ends like at its output limit, and its vendor is stopped", async () => {
    const account = `poor-${name}`;
    await area.simulator.forget(model);
    // The vendor's stream stalls and never ends.
    await area.simulator.script(model, [{ ...paced, stallAfterChunks: 198 }]);
    const received = await listen(area, keyOf(account), model);
    expect(received.ending).toBe(length);
    expect(words.startsWith(received.text)).toBe(true);
    expect(received.text.length).toBeLessThan(words.length);
    const [after, event] = [await area.settled(account), await eventOf(account)];
    expect(event).toMatchObject({ outcome: "completed", status: 200, estimated: true });
    const { inputTokens = 0, outputTokens = 0 } = event.units;
    if (received.output !== undefined) expect([received.input, received.output]).toEqual([inputTokens, outputTokens]);
    expect(BigInt(event.costNanos)).toBe(BigInt(inputTokens) * price.input + BigInt(outputTokens) * price.output);
    expect(after.balanceNanos).toBe(poor - BigInt(event.costNanos));
    expect(after.balanceNanos >= 0n).toBe(true);
    // Little money remains, so the stream was not ended too early.
    expect(after.balanceNanos < poor / 3n).toBe(true);
    await until("the vendor to be stopped", async () => (await area.simulator.requests(model))[0]?.aborted === true);
  });

  test("a stream that the balance covers passes completely, although its maximum could not have been held", async () => {
    const account = `able-${name}`;
    await area.simulator.script(model, [paced]);
    const received = await listen(area, keyOf(account), model);
    expect(received.ending).toBe(whole);
    expect(received.text).toBe(words);
    const [after, event] = [await area.settled(account), await eventOf(account)];
    expect(event).toMatchObject({ outcome: "completed", estimated: false });
    expect(after.balanceNanos).toBe(able - BigInt(event.costNanos));
  });
});

test.each(["content", "chat"])("generated content as one array is closed if it ends early, over %s", async (model) => {
  await area.simulator.script(model, [paced]);
  const answer = await fetch(`${area.url}/v1beta/models/${model}:streamGenerateContent`, {
    method: "POST",
    headers: { "x-goog-api-key": keyOf(`array-${model}`), "content-type": "application/json" },
    body: JSON.stringify({ contents: [{ parts: [{ text: "Tell me." }] }] }),
  });
  const pieces: readonly object[] = JSON.parse(await answer.text());
  expect(pieces.length).toBeGreaterThan(50);
  expect(pieces.at(-1)).toMatchObject({
    candidates: [{ finishReason: "MAX_TOKENS" }],
    usageMetadata: { candidatesTokenCount: expect.any(Number) },
  });
});

test("an answer in one burst waits for its hold and arrives completely", async () => {
  const [chat] = longAnswers;
  await area.simulator.script("chat", [{ text: words.slice(0, 6_000), chunks: 50 }]);
  await area.topUp("able-chat-bytes", "1");
  const received = await chat?.listen(area, keyOf("able-chat-bytes"), "chat");
  expect(received).toMatchObject({ text: words.slice(0, 6_000), ending: "stop" });
});

test("a spent budget ends a stream like an empty account", async () => {
  const [chat] = longAnswers;
  await area.simulator.script("chat", [paced]);
  expect(await chat?.listen(area, keyOf("budgeted"), "chat")).toMatchObject({ ending: "length" });
  await area.settled("budgeted");
  const { costNanos } = await eventOf("budgeted");
  expect(BigInt(costNanos) <= 20_000_000n).toBe(true);
  expect(BigInt(costNanos) > 10_000_000n).toBe(true);
});

test("the hold covers all hidden reasoning that a stream bills, if it is requested, and after a model has billed it once", async () => {
  const ask = (more: object) =>
    fetch(`${area.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${keyOf("thinking")}`, "content-type": "application/json" },
      body: JSON.stringify({ ...hello("open-chat"), stream: true, ...more }),
    }).then(async (answer) => [answer.status, await answer.text()] as const);
  // The maximum output costs $0.16.
  expect(await ask({ reasoning_effort: "high" })).toMatchObject([402, expect.stringContaining("insufficient_quota")]);
  const usage = { inputTokens: 10, outputTokens: 3_000, reasoningTokens: 2_990 };
  await area.simulator.script("open-chat", [{ text: "Well.", chunks: 1, usage }]);
  expect(await ask({})).toMatchObject([200, expect.stringContaining("Well.")]);
  expect((await area.settled("thinking")).balanceNanos).toBe(100_000_000n - 30_010_000n);
  expect((await ask({ max_tokens: 16_384 }))[0]).toBe(402);
  expect((await ask({ max_tokens: 1_000 }))[0]).toBe(200);
});

test("a response that was ended early is stored, and can be referred to", async () => {
  const client = sdk(area, keyOf("poor-responses"));
  await area.topUp("poor-responses", "0.02");
  await area.simulator.script("responses", [paced, { text: "And so on." }]);
  const stream = await client.responses.create({ model: "responses", input: "Tell me.", stream: true });
  let [id, text] = ["", ""];
  for await (const event of stream) {
    if (event.type === "response.output_text.delta") text += event.delta;
    if (event.type === "response.incomplete") ({ id } = event.response);
  }
  expect(text.length).toBeGreaterThan(1_000);
  await area.topUp("poor-responses", "1");
  const more = await client.responses.create({ model: "responses", input: "Go on.", previous_response_id: id });
  expect(more.output_text).toBe("And so on.");
  expect((await area.simulator.requests("responses")).at(-1)?.body).toContain(text.slice(0, 1_000));
});
