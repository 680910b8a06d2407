import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { anthropicMessages } from "./clients/anthropic-messages.ts";
import { openaiChat } from "./clients/openai-chat.ts";
import { channelOfCloud, clouds, type Cloud } from "./clouds.ts";
import { keyOf, price, settled } from "./every-vendor-suite.ts";
import { png } from "./media.ts";
import type { Client, Reply, Question } from "./question.ts";
import { forbidWarnings } from "../../../services/text/test/forbid-warnings.ts";

/** SDKs that call the models: one with the wire of most cloud models, and one with another wire. */
const clients = [
  { client: anthropicMessages, streams: [false, true] },
  { client: openaiChat, streams: [true] },
];
const accountOf = (client: Client, cloud: Cloud): string => `${client.name}-${cloud.name}`.replaceAll(" ", "-");
const accounts = ["demo", ...clients.flatMap(({ client }) => clouds.map((cloud) => accountOf(client, cloud)))];

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        ...Object.fromEntries(clouds.map(({ name }) => [name, { kind: "chat", price }])),
        ranked: { kind: "rerank", price: { request: 0.002 } },
      },
      channels: [
        ...clouds.map(channelOfCloud),
        {
          id: "ranked",
          provider: "bedrock",
          baseUrl: "${SIMULATOR_URL}/at/ranked/bedrock?region=us-east-1",
          keys: ["bedrock-api-key-a"],
          models: { ranked: "cohere.rerank-v3-5:0" },
        },
      ],
      accounts: Object.fromEntries(
        accounts.map((name) => [name, { balance: "100", tokens: [{ key: keyOf(name), group: "default" }] }]),
      ),
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const simulate = (behaviour: object) => ({ text: `{{simulate: ${JSON.stringify(behaviour)}}}` });
const tools = [{ name: "weather", description: "The weather in a city.", argument: "city" }];

const cells = clients.flatMap(({ client, streams }) =>
  clouds.map((cloud) => ({ client, cloud, streams, to: cloud.name, by: client.name })),
);
describe.each(cells)("$by to $to", ({ client, cloud, streams }) => {
  beforeEach(() => suite.simulator.forget(cloud.name));
  const account = accountOf(client, cloud);
  const ask = (question: Partial<Question>): Promise<Reply> =>
    client.ask(suite, keyOf(account), { model: cloud.name, stream: false, prompt: [{ text: "Hello" }], ...question });
  const lastBody = async (): Promise<string> => (await suite.simulator.requests(cloud.name)).at(-1)?.body ?? "";

  describe.each(streams)("streamed: %s", (stream) => {
    test("a system prompt and an image reach the vendor", async () => {
      const reply = await ask({ stream, system: "Be brief.", prompt: [{ text: "Look: " }, { image: png }] });
      expect(reply).toMatchObject({ finish: client.endings.stop, dropped: [] });
      expect(reply.text).toMatch(/^You said: Look: \[image .*\d+ characters\]$/);
      for (const sent of ["Be brief.", png]) expect(await lastBody()).toContain(sent);
    });

    test("a tool call with reasoning, its result, and the answer that follows", async () => {
      const first = await ask({ stream, prompt: [{ text: 'call weather {"city":"Oslo"}' }], tools, reasoning: true });
      expect(first.calls).toMatchObject([{ name: "weather", arguments: { city: "Oslo" } }]);
      expect(first.finish).toBe(client.endings.calls);
      const outputs = first.calls.map((call) => ({ call, output: "four degrees" }));
      expect((await first.follow(outputs)).text).toContain("four degrees");
      expect(await lastBody()).toMatch(/[sS]ignature":"/);
    });

    test("usage is as the vendor reported it, and is billed at its price", async () => {
      const cacheWriteTokens = cloud.wire === "content" ? 0 : 100;
      const usage = { inputTokens: 1_000, cachedTokens: 600, outputTokens: 80, cacheWriteTokens };
      const before = await settled(suite, account);
      const reply = await ask({ stream, prompt: [{ text: "Hi " }, simulate({ usage })] });
      expect(reply.usage).toMatchObject({ input: 1_000, cached: 600, output: 80 });
      const dollars =
        (400 - cacheWriteTokens) * price.input + cacheWriteTokens * price.cacheWrite + 600 * price.cachedInput;
      expect(before - (await settled(suite, account))).toBe(BigInt((dollars + 80 * price.output) * 1_000));
    });
  });

  test("a stream that breaks in the middle ends with an error, and the received part is charged", async () => {
    const before = await settled(suite, account);
    const text = "one two three four five ".repeat(10);
    const prompt = [simulate({ errorAfterChunks: 10, chunks: 40, chunkDelayMs: 1, text })];
    await expect(ask({ stream: true, prompt })).rejects.toThrow();
    expect(before - (await settled(suite, account))).toBeGreaterThan(0n);
  });
});

test("Claude on Bedrock gets a messages client's body, unchanged except for model, stream and version", async () => {
  await suite.simulator.forget("bedrock-claude");
  const body =
    '{"model":"bedrock-claude", "max_tokens":16, "stream":true, "messages":[{"role":"user","content":"Hi"}], "metadata":{"user_id":"u"}}';
  const answer = await fetch(`${suite.edgeUrl}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": keyOf("demo"), "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body,
  });
  const text = await answer.text();
  expect(text).toMatch(/^event: message_start\ndata: /);
  expect(text).toContain("event: message_stop\n");
  expect((await suite.simulator.requests("bedrock-claude")).at(-1)?.body).toBe(
    '{"max_tokens":16, "messages":[{"role":"user","content":"Hi"}], "metadata":{"user_id":"u"},"anthropic_version":"bedrock-2023-05-31"}',
  );
});

test("Bedrock ranks documents", async () => {
  const answer = await fetch(`${suite.edgeUrl}/v1/rerank`, {
    method: "POST",
    headers: { authorization: `Bearer ${keyOf("demo")}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "ranked", query: "cats", documents: ["dogs", "cats"], top_n: 1 }),
  });
  expect([answer.status, JSON.parse(await answer.text()).results]).toMatchObject([200, [{ index: 1 }]]);
});
